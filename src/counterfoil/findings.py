"""Findings about the way there, whatever the outcome is: was it repeated unsafely, is the result what was asked for?

Like every rule they return their witnesses. They hold as of now: a rejection that arrives late, or an operator's word
that a tool is idempotent, may excuse a repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterfoil.across import Brief, Rule
from counterfoil.dispatch import Dispatch, hash_kind, skew_between
from counterfoil.evidence import NONE, Evidence
from counterfoil.facts import ADVISED, UNADVISED, Effect
from counterfoil.operations import Operation
from counterfoil.verdicts import Finding


def outcome_mismatch(case: Brief) -> Evidence:
    """An effect exists, the outcome contract looked at it, and by the newest look it is not what was asked for."""
    holdings = case.holdings
    newest: dict[str | None, Effect] = {}
    for ref, look in holdings.looks:
        exists = ref in holdings.standing if ref is not None else bool(holdings.number)
        if exists and look.conforms is not None:
            newest[ref] = look
    refuted = {ref: look for ref, look in newest.items() if look.conforms is False}
    shown = [holdings.standing[ref] for ref in refuted if ref is not None]
    return Evidence((*refuted.values(), *shown))


def unsafe_retry(case: Brief) -> Evidence:
    """It was executed again where the provider could not know that it was a repeat: under another key or none, after
    the key's lifetime, or by a client that resends without one; or the payload executed is not the approved one."""
    return unapproved(case.operation) or (NONE if case.operation.trusted_idempotent else repeated(case.operation))


def unapproved(operation: Operation) -> Evidence:
    """A payload went out that differs from every one that a person approved."""
    approvals = [i for i in operation.intents if i.approved and i.payload_hash is not None]
    approved = {i.payload_hash for i in approvals if i.payload_hash is not None}
    kinds = {hash_kind(payload) for payload in approved}
    for dispatch in operation.executed if approvals else ():
        payload = dispatch.payload_hash
        if payload is not None and payload not in approved and kinds == {hash_kind(payload)}:
            return dispatch.witness.union(approvals)
    return NONE


def repeated(operation: Operation) -> Evidence:
    """The first executed attempt that an earlier one can't be told from, with that earlier one.

    Attempts under one key and scope are alike, so that it is enough to remember the first of each. One whose key nobody
    could see is compared with none: it may have had the right one.
    """
    firsts: dict[tuple[str | None, str | None], Dispatch] = {}
    for dispatch in operation.executed:
        if dispatch.key_unseen:
            continue
        if dispatch.key is None and dispatch.wire_requests > 1:
            return dispatch.witness
        name = (dispatch.key, dispatch.scope) if dispatch.key is not None else (None, None)
        other = next((first for known, first in firsts.items() if known != name or dispatch.key is None), None)
        if other is not None:
            return other.witness | dispatch.witness | _lenders(operation, (other, dispatch))
        first = firsts.setdefault(name, dispatch)
        lifetime = dispatch.key_ttl_s if dispatch.key_ttl_s is not None else first.key_ttl_s
        if lifetime is not None and _between(first, dispatch) > int(lifetime * 1_000_000_000):
            return first.witness | dispatch.witness | _lenders(operation, (first, dispatch))
    return NONE


def unadvised(case: Brief) -> Evidence:
    """It was carried out where the operator requires advice, and nobody had been asked for any. An attempt of which any
    view says that somebody was asked is excused; what was advised is nowhere looked at."""
    for dispatch in case.operation.executed:
        said = {view.advice for view in dispatch.views}
        if UNADVISED in said and ADVISED not in said:
            return dispatch.witness
    return NONE


def _between(first: Dispatch, later: Dispatch) -> int:
    """The nanoseconds that passed at least: so much less than the times say as two clocks may be apart."""
    return later.at - first.at - skew_between(first.process, later.process)


def _lenders(operation: Operation, dispatches: Iterable[Dispatch]) -> Evidence:
    """The intents that say what these attempts don't: key, scope or lifetime."""
    silent = any(
        (view.idempotency_key is not None and not isinstance(view.idempotency_key, str)) or view.key_ttl_s is None
        for dispatch in dispatches
        for view in dispatch.views
    )
    lending = (i for i in operation.intents if i.idempotency_key is not None or i.key_ttl_s is not None)
    return Evidence(lending) if silent else NONE


FINDINGS: Mapping[Finding, Rule] = {
    Finding.OUTCOME_MISMATCH: outcome_mismatch,
    Finding.UNSAFE_RETRY: unsafe_retry,
    Finding.UNADVISED: unadvised,
}
