"""An answer as facts, each with the authority and the time that it may claim."""

from __future__ import annotations

import math
from collections.abc import Callable

from counterfoil.facts import PROBE, Effect
from counterfoil.probing.question import Answer, CannotTell, Question
from counterfoil.probing.schedule import SECOND
from counterfoil.reading.values import MAX_TEXT
from counterfoil.stated import MAX_REFS

MAX_WORDS = 120
"""So much is kept of why a look said nothing, in characters."""

Contract = Callable[[object, Question], tuple[bool | None, str | None]]
"""Whether what was read is what was asked for, and why not; None where that can't be said."""


def checked(said: object) -> Answer | CannotTell:
    """What a probe returned, if it is an answer at all. A probe that lies about types has said nothing."""
    if said is None:
        return CannotTell()
    if isinstance(said, CannotTell):
        return CannotTell(_words(said.why))
    if isinstance(said, list | tuple):
        said = Answer(refs=tuple(said))
    if not isinstance(said, Answer):
        return CannotTell(f"it returned {type(said).__name__[:40]} where an Answer was due")
    if not _are_names(said.refs):
        return CannotTell(f"a reference is no text of 1 to {MAX_TEXT} characters")
    if not _is_count(said.count) or type(said.authoritative) is not bool:
        return CannotTell("count is no whole number, or authoritative neither true nor false")
    if not _is_age(said.age_s):
        return CannotTell("age_s is no number of seconds")
    return said


def looks(
    question: Question,
    answer: Answer | CannotTell,
    *,
    asked_at: int,
    answered_at: int,
    lag_s: float = 0.0,
    late_ns: int = 0,
    contract: Contract | None = None,
) -> list[Effect]:
    """What was seen, as facts; at least one, so that a look that said nothing is on record as well.

    What was there was there when the answer came. What was not there is known to have been missing when the question
    was put, and only if that was late enough: ``lag_s`` after the attempt, by the attempt's clock, and ``late_ns`` more
    where the asker's own clock says that it heard of the attempt so much later. No process is named: whose clocks
    may be how far apart is reckoned with already.
    """
    about = {"operation_id": question.operation_id, "source": PROBE}
    if isinstance(answer, CannotTell):
        return [Effect(**about, observed_at=answered_at, authoritative=False, why=answer.why)]  # type: ignore[arg-type]
    about["authoritative"] = answer.authoritative  # type: ignore[assignment]
    refs, age = tuple(dict.fromkeys(answer.refs)), int(answer.age_s * SECOND)
    count = answer.count if answer.count is not None else (0 if not refs else None)
    if count is None and len(refs) > MAX_REFS:
        count = len(refs)
    conforms, why = (None, None)
    if contract is not None and (len(refs) == 1 or (not refs and count == 1)):
        conforms, why = contract(answer.read, question)
    judged = {"conforms": conforms, "why": None if why is None else _words(why)}
    found = [
        Effect(**about, observed_at=answered_at - age, effect_ref=ref, **judged)  # type: ignore[arg-type]
        for ref in refs[:MAX_REFS]
    ]
    if count is not None:
        wait_s = lag_s + max(0, late_ns) / SECOND
        whole = {} if refs else judged
        found.append(
            Effect(**about, observed_at=asked_at - age, count=count, settle_after_s=wait_s or None, **whole)  # type: ignore[arg-type]
        )
    return found


def _are_names(refs: object) -> bool:
    return isinstance(refs, list | tuple) and all(isinstance(ref, str) and 0 < len(ref) <= MAX_TEXT for ref in refs)


def _is_count(count: object) -> bool:
    return count is None or (isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**31)


def _is_age(age: object) -> bool:
    return isinstance(age, int | float) and not isinstance(age, bool) and 0 <= age < math.inf


def _words(why: object) -> str:
    return " ".join(str(why).split())[:MAX_WORDS] if isinstance(why, str) and why.strip() else "it could not tell"
