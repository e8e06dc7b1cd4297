"""Write docs/verdicts.md from the rules: their docstrings, the next safe actions, and stories that are judged here.

    python tools/docs.py

A test compares the file with what this makes, so that nobody reads of a rule that isn't one.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from counterfoil.doubts import DOUBTS, identity_unclear
from counterfoil.explain import explain
from counterfoil.findings import FINDINGS
from counterfoil.operations import Operation
from counterfoil.rules import CONVICTIONS, READINGS, may_take_back
from counterfoil.testing import judged
from counterfoil.verdicts import NEXT_ACTION, WORST_FIRST, Finding, Outcome, Reason, Verdict, severity_of

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "verdicts.md"
WIDTH = 120

STORIES: dict[Verdict, str] = {
    Finding.KEY_CONFLICT: """
        intent  charge_card key=k1 payload=A
        attempt timeout payload=A
        attempt success payload=B
    """,
    Outcome.DUPLICATE_EFFECT: """
        intent  charge_card key=k1
        attempt timeout
        attempt success
        receipt pay_2
        webhook pay_1
    """,
    Outcome.FALSE_SUCCESS: """
        intent  send_mail
        attempt 202 reported=success
        probe   0
    """,
    Finding.OUTCOME_MISMATCH: """
        intent  create_ticket
        attempt success
        receipt t_1
        probe   t_1 conforms=false
    """,
    Finding.UNSAFE_RETRY: """
        intent  charge_card
        attempt timeout key=k1
        attempt success key=k2
        receipt pay_1
    """,
    Outcome.INDETERMINATE: """
        intent  charge_card key=k1
        attempt timeout
    """,
    Outcome.VERIFIED_NOT_APPLIED: """
        intent  charge_card key=k1
        attempt timeout
        probe   0
    """,
    Outcome.VERIFIED_APPLIED: """
        intent  charge_card key=k1
        attempt timeout
        probe   pay_1
    """,
    Outcome.HEALTHY: """
        intent  list_tasks side_effect=false
        attempt success
        attempt timeout
    """,
}

ASKED: dict[Verdict, object] = {
    **CONVICTIONS,
    **READINGS,
    **FINDINGS,
    Outcome.HEALTHY: Operation.is_read,
}
CONVICTION = (
    "A conviction: it asks only what is there, so that lost attempts and effects can hide it and never make it."
)
READING = "A reading: it leans on an authoritative look and holds as of now; later evidence may revise it."
FINDING = "A finding about the way there, whatever the outcome is. It holds as of now."
KINDS = dict.fromkeys(CONVICTIONS, CONVICTION) | dict.fromkeys(READINGS, READING) | dict.fromkeys(FINDINGS, FINDING)
INTRODUCTION = """\
# Verdicts

<!-- Made by tools/docs.py from the rules. -->

Two questions are asked of one operation's evidence, and never mixed: what does the world hold (the outcome), and was
the way there safe (the findings)? One word, the verdict, is the worst of them, in the order of this page. All findings
are kept, whatever the verdict is. Who has to act: a verdict pages, becomes a ticket, or does neither.

Each is shown by a story, a fact a line, in the notation of `counterfoil.testing`, with the sentence that it is told in.
"""


def verdicts() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *map(_section, WORST_FIRST), *_beside(), *_doubt(), *_taken_back()])


def _section(verdict: Verdict) -> str:
    told = judged(STORIES[verdict])
    if told.verdict is not verdict:
        raise ValueError(f"the story of {verdict} comes to {told.verdict}")
    kind = [f"{KINDS[verdict]}\n"] if verdict in KINDS else []
    return "\n".join(
        [
            f"## `{verdict}`\n",
            fill(_when(verdict), WIDTH) + "\n",
            *kind,
            f"**Next safe action:** {NEXT_ACTION[verdict]}.\n",
            f"**Severity:** {severity_of(verdict)}{_sometimes(verdict)}.\n",
            f"```\n{inspect.cleandoc(STORIES[verdict])}\n```\n",
            f"> {explain(told)}\n",
        ]
    )


def _when(verdict: Verdict) -> str:
    if verdict is Outcome.INDETERMINATE:
        return "Nothing of the above and below can be shown. The reason says what is missing."
    return _said(ASKED[verdict])


def _sometimes(verdict: Verdict) -> str:
    return "; for some reasons a ticket, as below" if verdict is Outcome.INDETERMINATE else ""


def _beside() -> Iterator[str]:
    yield f"## `{Finding.UNADVISED}`\n"
    yield fill(_said(FINDINGS[Finding.UNADVISED]), WIDTH) + "\n"
    yield "It stands among the findings and is never the verdict: advice is no evidence, nor is the lack of it.\n"


def _doubt() -> Iterator[str]:
    yield "## Reasons of doubt\n"
    yield "Silence is never evidence of absence: where no rule holds, one of these does, and the first is told.\n"
    yield "| reason | when | severity, in time | past its deadline |"
    yield "|---|---|---|---|"
    said = {Reason.IDENTITY_UNCLEAR: _said(identity_unclear)} | {reason: _said(rule) for reason, rule in DOUBTS.items()}
    said[Reason.UNREADABLE] = "A record about this operation could not be read, or a rule broke."
    said[Reason.UNVERIFIED] = "It came back clean, and no receipt or look at the target confirms it: the everyday case."
    for reason in Reason:
        severities = [severity_of(Outcome.INDETERMINATE, reason, overdue=late) for late in (False, True)]
        yield f"| `{reason}` | {said[reason]} | {' | '.join(severities)} |"


def _taken_back() -> Iterator[str]:
    yield "\n## What may take a conviction back\n"
    yield inspect.cleandoc(may_take_back.__doc__ or "").partition("\n\n")[2] + "\n"


def _said(rule: object) -> str:
    return " ".join(inspect.cleandoc(rule.__doc__ or "").split())


if __name__ == "__main__":
    DOCUMENT.write_text(verdicts(), encoding="utf-8")
