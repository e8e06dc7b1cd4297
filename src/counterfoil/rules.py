"""The rules: each asks one question of one operation and answers with its witnesses, the facts that bear it out.

No witness means that the rule does not hold. There are two tables, and they are never mixed. A conviction asks only
what is there, so that lost telemetry can hide one but never invent one. A reading leans on an authoritative look, or on
something that was not seen, and holds as of now. The docstrings are the user documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from counterfoil.across import Brief, Rule, borne_out, conflicting_uses, joining
from counterfoil.doubts import incomplete, receipt_mismatch
from counterfoil.evidence import NONE, Evidence, Folded
from counterfoil.facts import PROVIDER_RECEIPT, Attempt, Effect, Fact, Gap, Intent
from counterfoil.holdings import is_settled, own_name, shown_by, sightings
from counterfoil.operations import DECLARED_SOURCES, Operation, operation_from
from counterfoil.owners import counted_by
from counterfoil.verdicts import Finding, Outcome, Verdict

# ------------------------------------------------------------------- convictions


def key_conflict(case: Brief) -> Evidence:
    """One idempotency key went out with two payloads, here or from another operation. The provider may have applied
    either, refused one, or answered the second with the first one's result."""
    return borne_out(conflicting_uses(case.operation, case.around.conflicts)) if case.around.conflicts else NONE


def duplicate_effect(case: Brief) -> Evidence:
    """More effects exist than were meant: distinct references, or a look that counted, over all operations that share
    the business intent. It does not say which attempt made which, nor whether one was reversed since."""
    own = case.holdings
    expected = case.operation.expected_count
    if len(own.sighted) > expected:
        return NONE.union(*(counted_by(ref, look, case.around.owners) for ref, look in own.sighted.items()))
    if own.most is not None and (own.most.count or 0) > expected:
        return Evidence({own.most})
    for intent_ref in sorted(case.operation.intent_refs & case.around.pools.keys()):
        pool = case.around.pools[intent_ref]
        joined = joining(case.operation, intent_ref)
        if len(pool.sighted) > pool.expected:
            return joined.union(*islice(pool.sighted.values(), pool.expected + 1))
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
    if total is not None and is_settled(total, case.operation):
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
    the target shows no promise, which somebody must have asked for, and no telemetry is known to be missing."""
    operation = case.operation
    if case.holdings.number:
        return NONE
    if (absent := case.holdings.absence) and not operation.success_reported:
        return Evidence(absent)
    if operation.executed or not operation.dispatches or operation.awaits_approval:
        return NONE
    if case.holdings.pending or incomplete(case):
        return NONE
    return NONE.union(*(dispatch.witness for dispatch in operation.dispatches))


CONVICTIONS: Mapping[Verdict, Rule] = {
    Finding.KEY_CONFLICT: key_conflict,
    Outcome.DUPLICATE_EFFECT: duplicate_effect,
}
"""Ask only what is there. What may take one back again is in `may_take_back`, and nothing else can."""

READINGS: Mapping[Outcome, Rule] = {
    Outcome.FALSE_SUCCESS: false_success,
    Outcome.VERIFIED_APPLIED: verified_applied,
    Outcome.VERIFIED_NOT_APPLIED: verified_not_applied,
}


# ------------------------------------------------------- what may take a conviction back


def may_take_back(fact: Fact | Gap, seen: Folded) -> bool:
    """Whether one more fact could free an operation that the facts seen so far convict; a law says that no other can.

    More attempts, effects and claims never do. What was promised, and what a name means, may turn out different:

    - more effects were meant than was known;
    - an intent says that it only reads, or that the operation's derived name is shared by calls that are not the same,
      or which key and scope its attempts used;
    - an attempt is another view of one that is known: it was never sent, or two turn out to be one;
    - an operation shows a reference that another one shows too, and this fact may settle to whom it belongs;
    - an object that was taken for an effect is the reversal of one.
    """
    if isinstance(fact, Gap):
        return False
    before, after = (operation_from(fact.operation_id, known) for known in _with_and_without(fact, seen))
    if after.expected_count > before.expected_count:
        return True
    match fact:
        case Intent():
            return _renames(fact, before, after) or _shares_a_reference(after, seen)
        case Attempt():
            derived = fact.id_source not in DECLARED_SOURCES
            return derived or _views_one_known(fact, before) or _shares_a_reference(after, seen)
        case Effect():
            return _shares_a_reference(after, seen) or _reverses_by_a_known_name(fact, before)
    return False


def _with_and_without(fact: Fact, seen: Folded) -> tuple[Evidence, Evidence]:
    known = seen.operations.get(fact.operation_id, NONE)
    return known, known | {fact}


def _renames(intent: Intent, before: Operation, after: Operation) -> bool:
    """It says what others are: a read, one of several under one name, a business intent, the key of an attempt."""
    lends = intent.idempotency_key is not None or intent.key_scope is not None
    return (
        after.is_read
        or bool(after.intent_refs and after.expected_count > 1)
        or any(fact.id_source not in DECLARED_SOURCES for fact in after.facts if isinstance(fact, Intent | Attempt))
        or (lends and bool(before.dispatches))
    )


def _views_one_known(attempt: Attempt, before: Operation) -> bool:
    call = (attempt.tool_call_id, attempt.run_id)
    return any(
        view.attempt_id == attempt.attempt_id
        or (attempt.dispatch_ref is not None and view.dispatch_ref == attempt.dispatch_ref)
        or (None not in call and (view.tool_call_id, view.run_id) == call)
        or bool(attempt.replay or view.replay)
        for dispatch in before.dispatches
        for view in dispatch.views
    )


def _reverses_by_a_known_name(look: Effect, before: Operation) -> bool:
    """What was taken for an effect turns out to be the reversal of one."""
    return look.compensates is not None and own_name(look) in {ref for _, ref, _ in sightings((before,))}


def _shares_a_reference(operation: Operation, seen: Folded) -> bool:
    own = {ref for _, _, look in sightings((operation,)) for ref in shown_by(look)}
    others = (operation_from(name, facts) for name, facts in seen.operations.items() if name != operation.operation_id)
    return any(ref in own for _, _, look in sightings(others) for ref in shown_by(look))
