"""Why an operation is in doubt. Silence is not evidence: where no rule holds, one of these says what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from counterfoil.across import Brief, Rule
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import ACCEPTED, Effect, Gap, Reported
from counterfoil.holdings import contradicts, payloads_meant
from counterfoil.operations import Operation
from counterfoil.verdicts import Reason


def receipt_mismatch(case: Brief) -> Evidence:
    """An effect of this operation, or the count that shows it, names another payload than was meant."""
    holdings = case.holdings
    counted = holdings.most if holdings.number > len(holdings.standing) else None
    allowed = payloads_meant(case.operation)
    return Evidence(
        look
        for ref, look in holdings.looks
        if ref in holdings.standing or look is counted
        if contradicts(allowed, look)
    )


def identity_unclear(case: Brief) -> Evidence:
    """The derived name is shared by intents that differ in payload, tool or run: nothing follows across its records."""
    return case.operation.unlike_intents


def partial(case: Brief) -> Evidence:
    """Fewer effects are shown than were meant, and no look says that there are no more."""
    shown: list[Effect] = [*case.holdings.standing.values()]
    if case.holdings.most is not None:
        shown.append(case.holdings.most)
    return Evidence(shown) if 0 < case.holdings.number < case.operation.expected_count else NONE


def awaiting_approval(case: Brief) -> Evidence:
    """A person is asked first: the newest attempt was deferred, and none has executed."""
    return case.operation.dispatches[-1].witness if case.operation.awaits_approval else NONE


def accepted(case: Brief) -> Evidence:
    """The provider took the request and has not said yet that it is done."""
    promised = (d.witness for d in case.operation.executed if d.http_status == 202 or d.reported is Reported.ACCEPTED)
    return Evidence(look for look in case.operation.looks if look.stage == ACCEPTED).union(*promised)


def settling(case: Brief) -> Evidence:
    """A look found nothing, but came before the target could be expected to show it."""
    return Evidence(case.holdings.too_early)


def telemetry_gap(case: Brief) -> Evidence:
    """Telemetry of this operation is known to be incomplete; or it was sent again, and nobody could see under which
    key."""
    return Evidence(case.operation.facts) if incomplete(case) else repeated_unseen(case.operation)


def repeated_unseen(operation: Operation) -> Evidence:
    """Attempts that may have been repeated under one key, or under none: their keys could not be seen."""
    unseen = [dispatch for dispatch in operation.executed if dispatch.key_unseen]
    again = len(operation.executed) > 1 or any(dispatch.wire_requests > 1 for dispatch in unseen)
    if not again or operation.trusted_idempotent:
        return NONE
    return NONE.union(*(dispatch.witness for dispatch in unseen))


def ambiguous(case: Brief) -> Evidence:
    """Nothing says whether it happened: no attempt came back clean, or none was seen at all."""
    if any(dispatch.said_success and dispatch.clean for dispatch in case.operation.executed):
        return NONE
    return Evidence(case.operation.facts)


def incomplete(case: Brief) -> bool:
    operation = case.operation
    numbers = (view.attempt_no or 0 for dispatch in operation.dispatches for view in dispatch.views)
    if operation.unreadable or max(numbers, default=0) > len(operation.dispatches):
        return True
    return touched(case.around.gaps, {fact.process for fact in operation.facts if fact.process is not None})


def touched(gaps: frozenset[Gap], processes: set[str]) -> bool:
    """A gap in one process touches what that process, or nobody in particular, was seen to do."""
    incomplete_in = _processes_of(gaps)
    return bool(gaps) and (not processes or None in incomplete_in or not processes.isdisjoint(incomplete_in))


@lru_cache(maxsize=8)
def _processes_of(gaps: frozenset[Gap]) -> frozenset[str | None]:
    """Where the gaps are. All operations that are judged together have the same gaps around them."""
    return frozenset(gap.process for gap in gaps)


DOUBTS: Mapping[Reason, Rule] = {
    Reason.RECEIPT_MISMATCH: receipt_mismatch,
    Reason.PARTIAL: partial,
    Reason.AWAITING_APPROVAL: awaiting_approval,
    Reason.ACCEPTED: accepted,
    Reason.SETTLING: settling,
    Reason.TELEMETRY_GAP: telemetry_gap,
    Reason.AMBIGUOUS: ambiguous,
}
"""The reasons in the order in which they are told; `Reason.UNVERIFIED` is what remains: it came back clean, and nothing
shows the effect."""
