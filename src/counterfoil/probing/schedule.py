"""When a target is asked about an operation, by the operation's facts alone: how often it was asked is among them.

Each look is taken down before it is begun, as a claim ``probe 2 after 1 attempt, by <host>``, so that a restart or
another worker goes on counting, also after a worker that died of its probe. Where the target lags, that somebody has
noticed the operation is taken down first, as number 0: its time is the first, by the asker's own clock, at which the
attempt is known to have been made. The pace starts anew when a further attempt is seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from counterfoil.config import Pace
from counterfoil.facts import Claim, Reported
from counterfoil.judge import Judgement
from counterfoil.operations import Operation
from counterfoil.verdicts import Finding, Outcome, Reason

SECOND = 1_000_000_000
_TAKEN_DOWN = re.compile(r"probe (\d+) after (\d+) attempts?, by (.*)")
_NOTHING_TO_SEE = (Reason.AWAITING_APPROVAL, Reason.IDENTITY_UNCLEAR, Reason.UNREADABLE, Reason.RECEIPT_MISMATCH)


class Made(NamedTuple):
    """One look that was begun, or with number 0 that the operation was noticed. ``at``: by the clock of ``host``."""

    number: int
    host: str
    at: int


class Step(NamedTuple):
    """What comes next, and when. Number 0: take down that the operation was noticed."""

    number: int
    at: int


def wants_look(judgement: Judgement, *, contract: bool) -> bool:
    """Whether a look at the target can say more than is known. ``contract``: it would be held against one."""
    if judgement.operation.is_read:
        return False
    if judgement.outcome is Outcome.INDETERMINATE:
        return judgement.reason not in _NOTHING_TO_SEE
    if judgement.outcome is not Outcome.VERIFIED_APPLIED:
        return False
    uncounted = judgement.verdict is Finding.UNSAFE_RETRY and judgement.case.holdings.total is None
    return uncounted or (contract and all(look.conforms is None for look in judgement.operation.looks))


def next_step(operation: Operation, pace: Pace, lag_s: float, now: int) -> Step | None:
    """The next look and its time, nanoseconds since 1970; None when enough were made, or too late. A time that lies
    further ahead than its wait is a clock gone wrong, and isn't waited for."""
    made = list(made_of(operation))
    last = max((one.number for one in made), default=-1)
    if last < 0 and lag_s > 0:
        return Step(0, now)
    if last >= pace.most:
        return None
    since = max((one.at for one in made if one.number == last), default=operation.last_executed_at or 0)
    wait = max(pace.first_s, lag_s) if last <= 0 else min(pace.longest_s, pace.first_s * pace.factor ** (last - 1))
    at = since + int(wait * SECOND)
    if since > now + int(wait * SECOND):
        at = now
    began = min((one.at for one in made), default=at)
    return Step(max(1, last + 1), at) if at <= began + int(pace.deadline_s * SECOND) else None


def made_of(operation: Operation) -> Iterator[Made]:
    """The looks that were begun since the newest attempt was seen."""
    for claim in operation.claims:
        found = _TAKEN_DOWN.fullmatch(claim.by or "")
        if found and int(found[2]) == len(operation.executed):
            yield Made(int(found[1]), found[3], claim.observed_at)


def taken_down(operation: Operation, number: int, host: str, now: int) -> Claim:
    """That a look is begun, as a fact."""
    sent = len(operation.executed)
    by = f"probe {number} after {sent} attempt{'' if sent == 1 else 's'}, by {host}"
    return Claim(operation_id=operation.operation_id, observed_at=now, reported=Reported.ABSENT, by=by)


def known_since(operation: Operation, host: str, now: int) -> int:
    """Since when this host is known to have known of the newest attempt, by its own clock."""
    return min((one.at for one in made_of(operation) if one.host == host), default=now)
