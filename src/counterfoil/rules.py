"""The rules: each asks one question of one operation and answers with its witnesses, the facts that bear it out.

No witness means that the rule does not hold. There are two tables, and they are never mixed. A conviction asks only
what is there, so that lost telemetry can hide one but never invent one. A reading leans on an authoritative look, or on
something that was not seen, and holds as of now. The docstrings are the user documentation.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterfoil.across import Brief, Rule, conflict_witness, joining_intent, key_uses
from counterfoil.doubts import incomplete, receipt_mismatch
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import PROVIDER_RECEIPT
from counterfoil.holdings import is_settled
from counterfoil.verdicts import Finding, Outcome, Verdict

# ------------------------------------------------------------------- convictions


def key_conflict(case: Brief) -> Evidence:
    """One idempotency key went out with two payloads, here or from another operation. The provider may have applied
    either, refused one, or answered the second with the first one's result."""
    for name, dispatch in key_uses(case.operation):
        if name in case.around.conflicts:
            return conflict_witness(case.operation, dispatch, case.around.conflicts[name])
    return NONE


def duplicate_effect(case: Brief) -> Evidence:
    """More effects exist than were meant: distinct references, or a look that counted, over all operations that share
    the business intent. It does not say which attempt made which, nor whether one was reversed since."""
    own = case.holdings
    expected = case.operation.expected_count
    if len(own.sighted) > expected:
        return Evidence(own.sighted.values())
    if own.most is not None and (own.most.count or 0) > expected:
        return Evidence({own.most})
    for intent_ref in sorted(case.operation.intent_refs & case.around.pools.keys()):
        pool = case.around.pools[intent_ref]
        joined = Evidence({joining_intent(case.operation, intent_ref)})
        if len(pool.sighted) > pool.expected:
            return joined.union(*pool.sighted.values())
        if pool.most is not None and (pool.most.count or 0) > pool.expected:
            return joined | pool.most_witness
    return NONE


# ---------------------------------------------------------------------- readings


def false_success(case: Brief) -> Evidence:
    """Somebody was told that it is done, and settled authoritative evidence shows no effect, or fewer than were meant;
    or the only effect shown belongs to another operation. A provider's own answer that hands out somebody else's object
    is such a report."""
    holdings = case.holdings
    told = case.operation.success_reported | {look for look in holdings.foreign if look.source == PROVIDER_RECEIPT}
    if not told:
        return NONE
    if absent := holdings.absence:
        return told.union(absent)
    if holdings.foreign and not holdings.number:
        return told.union(holdings.foreign)
    total = holdings.total
    if total is not None and is_settled(total, case.operation.last_executed_at):
        short = len(holdings.standing) <= (total.count or 0) < case.operation.expected_count
        return told | {total} if short and total.count == holdings.number else NONE
    return NONE


def verified_applied(case: Brief) -> Evidence:
    """The target holds exactly as many effects as were meant, and none of them names another payload. It does not say
    that the deliverable is right: that is for an outcome contract to look at."""
    holdings = case.holdings
    if holdings.number != case.operation.expected_count or receipt_mismatch(case):
        return NONE
    if len(holdings.standing) == holdings.number:
        return Evidence(holdings.standing.values())
    return Evidence({holdings.most} if holdings.most is not None else ())


def verified_not_applied(case: Brief) -> Evidence:
    """A settled authoritative look found nothing and nobody reported success; or every attempt provably did nothing,
    and no telemetry is known to be missing."""
    operation = case.operation
    if case.holdings.number:
        return NONE
    if (absent := case.holdings.absence) and not operation.success_reported:
        return Evidence(absent)
    if operation.executed or not operation.dispatches or operation.awaits_approval or incomplete(case):
        return NONE
    return NONE.union(*(dispatch.witness for dispatch in operation.dispatches))


CONVICTIONS: Mapping[Verdict, Rule] = {
    Finding.KEY_CONFLICT: key_conflict,
    Outcome.DUPLICATE_EFFECT: duplicate_effect,
}
READINGS: Mapping[Outcome, Rule] = {
    Outcome.FALSE_SUCCESS: false_success,
    Outcome.VERIFIED_APPLIED: verified_applied,
    Outcome.VERIFIED_NOT_APPLIED: verified_not_applied,
}
