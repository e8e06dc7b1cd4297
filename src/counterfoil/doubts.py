"""Why an operation is in doubt. Silence is not evidence: where no rule holds, one of these says what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterfoil.across import Brief, Rule
from counterfoil.dispatch import differ
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import ACCEPTED, Attempt, Effect, Fact, Gap, Intent, Reported
from counterfoil.holdings import contradicts, named
from counterfoil.operation import DECLARED_SOURCES, Operation
from counterfoil.verdicts import Reason


def receipt_mismatch(case: Brief) -> Evidence:
    """An effect of this operation, or the count that shows it, names another payload than was meant."""
    holdings = case.holdings
    counted = holdings.most if holdings.number > len(holdings.standing) else None
    return Evidence(
        look
        for look in case.operation.looks
        if look.authoritative and (named(look) in holdings.standing or look is counted)
        if contradicts(case.operation, look)
    )


def identity_unclear(case: Brief) -> Evidence:
    """The derived name is shared by intents that differ in payload, tool or run: nothing follows across its records."""
    operation = case.operation
    if not any(source not in DECLARED_SOURCES for source in _id_sources(operation)):
        return NONE
    for n, one in enumerate(operation.intents):
        for other in operation.intents[:n]:
            if differ(one.payload_hash, other.payload_hash) or _unlike(one, other):
                return Evidence({one, other}) | _derived(operation)
    return NONE


def _id_sources(operation: Operation) -> Iterable[str | None]:
    return (fact.id_source for fact in operation.facts if isinstance(fact, Intent | Attempt))


def _derived(operation: Operation) -> Evidence:
    named_so = (f for f in operation.intents if f.id_source not in DECLARED_SOURCES)
    return Evidence(named_so)


def _unlike(one: Intent, other: Intent) -> bool:
    pairs = ((one.tool, other.tool), (one.run_id, other.run_id))
    return any(a is not None and b is not None and a != b for a, b in pairs)


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
    """Telemetry of this operation is known to be incomplete."""
    return Evidence(case.operation.facts) if incomplete(case) else NONE


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
    return any(touches(gap, operation.facts) for gap in case.around.gaps)


def touches(gap: Gap, facts: Iterable[Fact]) -> bool:
    """A gap in one process touches what that process, or nobody in particular, was seen to do."""
    processes = {fact.process for fact in facts if fact.process is not None}
    return gap.process is None or not processes or gap.process in processes


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
