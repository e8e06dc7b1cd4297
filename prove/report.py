"""The report: generated, never written by hand."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence

from prove.check.marks import LIES, Mark
from prove.plan import CONTRACTS, FRAMEWORKS, HABITS, KILLS, LOOKS, TELEMETRY, WEBHOOKS, WIRE
from prove.tally import UNHEARD, Tally

VERDICTS = (
    "key_conflict",
    "duplicate_effect",
    "false_success",
    "outcome_mismatch",
    "unsafe_retry",
    "indeterminate",
    "verified_not_applied",
    "verified_applied",
    "healthy",
    UNHEARD,
)
ENOUGH = 5_000
"""From so many operations on every kind of fault that the plan knows must have occurred."""

BEGIN, END = "<!-- verdicts: made by `make prove`, between these two marks -->", "<!-- /verdicts -->"
HEAD = f"""# The proof

Agents work in a world that fails as planned, and every verdict is held against the providers' books, which nobody else
reads. All of this page is made by `make prove REPORT=docs/proof.md`; how, is in [prove/](../prove/README.md).

{BEGIN}
{END}
"""


def report(tally: Tally, seconds: float) -> str:
    """The first part of the proof, as Markdown."""
    lies = {mark: sum(n for (_, _, m), n in tally.verdicts.items() if m == mark) for mark in LIES}
    return "\n".join(
        (
            BEGIN,
            "",
            f"{tally.operations:,} operations over {len(tally.seeds)} seeds; {sum(tally.verdicts.values()):,} verdicts "
            "were held against the providers' books. "
            + ", ".join(f"{mark}s: {n}" for mark, n in lies.items())
            + f"; unheard of though nothing was lost: {len(tally.missing)}.",
            "",
            f"It took {seconds:,.0f} s on {platform.machine()}, Python {platform.python_version()}.",
            "",
            "## By verdict",
            "",
            "Who says it: `audit`, of all telemetry that arrived; `part`, an audit of what one of two hosts recorded; "
            "`live`, each process while it ran; `ledger`, which some processes share.",
            "",
            *_table(("who", "verdict", *(mark.value for mark in Mark)), _by_verdict(tally)),
            "",
            f"{tally.true['duplicates called so']:,} operations took effect more often than they should have and were "
            f"called duplicates; of {tally.true['duplicates that nothing showed']:,} others only one effect was ever "
            "shown to anybody.",
            "",
            "## By fault",
            "",
            "The final verdict on each operation that met a fault; one that met several counts under each. A number "
            "is how many, all of them true; `+ n blind`: n more that are not true, and nothing that arrived could have "
            "shown it. Operations in doubt count as such.",
            "",
            *_table(("fault", "operations", *VERDICTS, "lies"), _by_fault(tally)),
            "",
            "## By reason of doubt",
            "",
            *_table(("reason", *TELEMETRY), _by_reason(tally)),
            "",
            END,
        )
    )


def unmet(tally: Tally) -> list[str]:
    """Kinds of fault, and verdicts, that did not occur, although every one must; none of a run too small for that."""
    if tally.operations < ENOUGH:
        return []
    every = [f"wire: {fault}" for fault in WIRE if fault != "ok"]
    every += [f"habit: {habit}" for habit in HABITS if habit not in ("honest", "once", "read")]
    every += [f"contract: {contract}" for contract in CONTRACTS[1:]]
    every += [f"telemetry: {how}" for how in TELEMETRY[1:]]
    every += [f"webhook: {how}" for how in WEBHOOKS[2:]]
    every += [f"killed: {where}" for where in KILLS[1:]]
    every += [f"look: {how}" for how in LOOKS[2:]]
    every += ["job: dies", "made: otherwise", "process: forked"]
    every += [f"resumed: {by}" for by in ("nobody", "same_key", "new_key")]
    every += [f"agent: {framework}" for framework in FRAMEWORKS[1:]]
    said = {verdict for _, verdict, _ in tally.verdicts}
    unsaid = [f"the verdict {verdict}" for verdict in VERDICTS if verdict not in said and verdict != UNHEARD]
    return [fault for fault in every if not tally.met[fault]] + unsaid


def placed(page: str, part: str, begin: str = BEGIN, end: str = END) -> str:
    """The page with this part between its marks; at its end, where it had none."""
    before, mark, rest = page.partition(begin)
    after = rest.partition(end)[2] if mark else "\n"
    return f"{before.rstrip()}\n\n{part}{after}" if before.strip() else f"{part}{after}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    rule = ("---", *("--:" for _ in head[1:]))
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


def _by_verdict(tally: Tally) -> Iterable[Sequence[str]]:
    said = sorted(
        {(by, verdict) for by, verdict, _ in tally.verdicts}, key=lambda one: (one[0], VERDICTS.index(one[1]))
    )
    for by, verdict in said:
        yield by, f"`{verdict}`", *(f"{tally.verdicts[by, verdict, mark]:,}" for mark in Mark)


def _by_fault(tally: Tally) -> Iterable[Sequence[str]]:
    for fault in sorted(tally.met):
        cells = []
        for verdict in VERDICTS:
            blind = tally.faults[fault, verdict, Mark.BLIND]
            fine = sum(tally.faults[fault, verdict, mark] for mark in (Mark.TRUE, Mark.DOUBT))
            cells.append(f"{fine:,} + {blind:,} blind" if blind and verdict != UNHEARD else f"{fine + blind:,}")
        lies = sum(n for (met, _, mark), n in tally.faults.items() if met == fault and mark in LIES)
        yield fault, f"{tally.met[fault]:,}", *cells, str(lies)


def _by_reason(tally: Tally) -> Iterable[Sequence[str]]:
    for reason in sorted({reason for reason, _ in tally.reasons}):
        yield f"`{reason}`", *(f"{tally.reasons[reason, how]:,}" for how in TELEMETRY)
