"""Judging from a ledger: claim what is due, read it with all that it shares something with, tell what is new of it.

When to tell is policy and here; what to tell is the core's. An operation settles when it has been quiet for a while
and nothing of it is under way; a request that was never seen to end is under way until the operation's deadline. By a
clock that is wrong, or facts from a host whose clock is, a verdict comes sooner or later and is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from counterfoil.across import around
from counterfoil.facts import HUMAN, PROBE, Attempt, Claim, Effect, Fact, Gap, Intent, Reported, Transport
from counterfoil.judge import Judgement, judge
from counterfoil.ledger.protocol import MAX_SHARING, Ledger
from counterfoil.ledger.protocol import Claim as Claimed
from counterfoil.ledger.related import Neighbourhood, neighbourhood
from counterfoil.ledger.told import Said, Told
from counterfoil.operations import Operation, operation_from
from counterfoil.verdicts import Outcome, Reason, Severity, severity_of

SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds: how long an operation must be quiet to be settled, and after how long doubt is somebody's work."""

    settle_after: int = 5 * SECOND
    deadline: int = 600 * SECOND


@dataclass(frozen=True, slots=True)
class Telling:
    """A judgement that is told now: which revision it is, and what was told before it."""

    judgement: Judgement
    told: Told
    before: Told | None


@dataclass(frozen=True, slots=True)
class Pass:
    """What came of one pass: ``waiting`` are not settled yet, ``failed`` could not be told and are due again."""

    judged: int = 0
    told: int = 0
    waiting: int = 0
    failed: int = 0


def judge_due(
    ledger: Ledger,
    tell: Callable[[Telling], None],
    *,
    now: int,
    timing: Callable[[str | None], Timing] = lambda tool: Timing(),
    limit: int = 200,
    looked_at: Callable[[Judgement], bool] = lambda judgement: False,
) -> Pass:
    """One pass over at most ``limit`` operations that are due. Raises `LedgerFault`; then all are due still.

    ``timing`` is asked by the tool's name, None where it isn't known. ``tell`` is called once for each revision, after
    that revision was taken down and before any other judge may claim the operation. Where it raises, the operation is
    told under a further revision after its settle window. ``looked_at``: its target will be asked yet.
    """
    with ledger.claim(now, limit) as claim:
        if not claim.operations:
            return Pass()
        return _judged(ledger, claim, tell, now=now, timing=timing, looked_at=looked_at)


def _judged(
    ledger: Ledger,
    claim: Claimed,
    tell: Callable[[Telling], None],
    *,
    now: int,
    timing: Callable[[str | None], Timing],
    looked_at: Callable[[Judgement], bool],
) -> Pass:
    names = list(claim.operations)
    near = neighbourhood(ledger, names, [name for name, news in claim.operations.items() if news])
    before = ledger.told(names)
    waiting = 0
    tellings: list[Telling] = []
    times: dict[str, Timing] = {}
    for judgement in _judgements(near, names):
        operation = judgement.operation
        times[operation.operation_id] = its = timing(operation.tool)
        settles = settles_at(judgement, its, now)
        if settles > now:
            claim.wake([operation.operation_id], settles)
            waiting += 1
            continue
        last = before.get(operation.operation_id)
        due = deadline_at(operation, its, last, now)
        said = said_of(judgement, overdue=now >= due, looked_at=looked_at(judgement))
        if judgement.reason is Reason.AMBIGUOUS and now < due:
            claim.wake([operation.operation_id], due)
        if last is None or not last.delivered or last.said != said:
            revision = 1 if last is None else last.revision + 1
            tellings.append(Telling(judgement, Told(operation.operation_id, revision, said, now), last))
    claim.wake(sorted(near.affected), now)
    told, failed = _tell(claim, tellings, tell)
    for name in failed:
        claim.wake([name], now + times[name].settle_after)
    return Pass(len(times), told, waiting, len(failed))


def _judgements(near: Neighbourhood, names: Sequence[str]) -> Iterator[Judgement]:
    operations = {name: operation_from(name, facts) for name, facts in near.folded.operations.items()}
    surroundings = around(operations.values(), near.folded.gaps)
    for name in (name for name in names if name in operations):  # what was forgotten meanwhile isn't judged
        mine = surroundings
        if name in near.crowded:
            crowd = Gap(what=f"it shares something with more than {MAX_SHARING} operations", observed_at=0)
            mine = replace(surroundings, gaps=surroundings.gaps | {crowd})
        yield judge(operations[name], mine)


def _tell(claim: Claimed, tellings: Sequence[Telling], tell: Callable[[Telling], None]) -> tuple[int, list[str]]:
    """Take down, then tell. How many were told, and the names of those that could not be."""
    taken_down = claim.announce([telling.told for telling in tellings]) if tellings else frozenset()
    told: list[Told] = []
    failed: list[str] = []
    for telling in tellings:
        if telling.told.operation_id in taken_down:
            try:
                tell(telling)
            except Exception:  # whatever is wrong with a teller, the others are told, and this one again
                failed.append(telling.told.operation_id)
            else:
                told.append(telling.told)
    claim.delivered(told)
    return len(told), failed


# ------------------------------------------------------------------------- policy


def settles_at(judgement: Judgement, timing: Timing, now: int) -> int:
    """When the operation is settled, for all that is known now. What is under way is waited for only where it may still
    tell something. A time further ahead than the wait itself is a clock gone wrong, and isn't waited for."""
    operation = judgement.operation
    waits = [(fact.observed_at, timing.settle_after) for fact in operation.facts if not _looked(fact)]
    if judgement.outcome is Outcome.INDETERMINATE:
        waits += [(d.at, timing.deadline) for d in operation.executed if d.transport is Transport.STARTED]
    return max((since + wait for since, wait in waits if since <= now + wait), default=0)


def _looked(fact: Fact) -> bool:
    """Somebody looked at the target, or began to. That says nothing of more telemetry on its way."""
    if isinstance(fact, Claim):
        return fact.reported is Reported.ABSENT
    return isinstance(fact, Effect) and fact.source in (PROBE, HUMAN)


def deadline_at(operation: Operation, timing: Timing, last: Told | None, now: int) -> int:
    """When doubt becomes somebody's work: so long after the operation began, or after doubt was first told."""
    began = [fact.observed_at for fact in operation.facts if isinstance(fact, Intent | Attempt)]
    told = [] if last is None else [last.at]
    return min((*began, *told), default=now) + timing.deadline


def said_of(judgement: Judgement, *, overdue: bool, looked_at: bool = False) -> Said:
    severity = severity_of(judgement.verdict, judgement.reason, overdue=overdue)
    return Said(
        verdict=judgement.verdict,
        outcome=judgement.outcome,
        findings=judgement.findings,
        reason=judgement.reason,
        severity=severity,
        open=looked_at or is_open(judgement, severity),
    )


def is_open(judgement: Judgement, severity: Severity) -> bool:
    """Somebody waits: an incident that nobody resolved, or doubt. A clean call without a receipt is neither, unless its
    target will be asked."""
    if severity is Severity.PAGE:
        return not judgement.resolved and not _person_decided(judgement)
    return judgement.outcome is Outcome.INDETERMINATE and judgement.reason is not Reason.UNVERIFIED


def _person_decided(judgement: Judgement) -> bool:
    """A person looked after all that bears the verdict out, and said what is. What comes later opens it again."""
    looks = [look.observed_at for look in judgement.operation.looks if look.authoritative and look.source == HUMAN]
    others = (fact.observed_at for fact in judgement.witnesses)
    return bool(looks) and max(looks) >= max(others, default=0)
