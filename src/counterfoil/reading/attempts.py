"""Attempts, out of the requests below one call.

The innermost real dispatches are the attempts: requests to one target repeat one another, unless the one before came
back clean, which makes them a batch. Requests to several targets are steps of one attempt, the call itself, unless
exactly one target was sent a key. Where no request was seen, the call itself is the attempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from counterfoil.facts import FROM_INTENT, NO_REQUEST, UNSEEN, Attempt, Reported, Transport
from counterfoil.reading.calls import Call, CallEnd, Dispatched
from counterfoil.reading.http import Target
from counterfoil.reading.own import NOTHING
from counterfoil.reading.views import hex_ids

MISSING = 2**31 - 1
"""The number of an attempt of which only this is known: there were others that nobody saw."""

NOT_SENT = "refused_stream"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which requests are attempts. ``target`` is None where the call itself is the one attempt."""

    target: Target | None
    parts: tuple[Dispatched, ...]
    expected: int | None = None  # effects of a batch

    @property
    def last(self) -> Dispatched:
        return self.parts[-1]


def choose(dispatches: Iterable[Dispatched]) -> Choice:
    parts = tuple(sorted((one for one in dispatches if not one.inner), key=lambda one: one.started_at))
    targets = dict.fromkeys(one.target for one in parts)
    keyed = dict.fromkeys(one.target for one in parts if one.key is not None)
    candidates = targets if len(targets) == 1 else keyed
    if len(candidates) != 1:
        return Choice(None, parts)
    target = next(iter(candidates))
    chosen = tuple(one for one in parts if one.target == target)
    if any(one.is_clean for one in chosen[:-1]) and not _one_key(chosen):
        return Choice(None, parts, expected=sum(one.is_clean for one in chosen))
    return Choice(target, chosen)


def repeats(parts: Iterable[Dispatched]) -> int | None:
    """How many requests one target was sent for want of a clean answer, where the key doesn't make that safe.

    None where nothing was repeated.
    """
    most, last, run = 1, dict[Target, Dispatched](), dict[Target, int]()
    for one in parts:
        before = last.get(one.target)
        unsafe = before is not None and before.was_sent and not before.is_clean
        if before is not None and before.key is not None and before.key == one.key:
            unsafe = False
        run[one.target] = run.get(one.target, 1) + unsafe
        last[one.target] = one
        most = max(most, run[one.target], one.wire_requests or 1)
    return most if most > 1 else None


def dispatch_attempts(
    call: Call, choice: Choice, end: CallEnd, about: dict[str, Any], payload: dict[str, Any]
) -> list[Attempt]:
    """One attempt for each request to the chosen target. What the tool told its caller stands on the last."""
    captured = any(one.key is not None for one in choice.parts)
    facts: list[Attempt] = []
    for one in choice.parts:
        more = payload | key_of(one, call.said.key_scope, captured=captured)
        if one is choice.last:
            more |= _told(call, end, one)
            if call.overflow:
                more["attempt_no"] = MISSING
        facts += views(one, about, more, abandoned=end.at is None)
    return facts


def views(one: Dispatched, about: dict[str, Any], more: dict[str, Any], *, abandoned: bool = False) -> list[Attempt]:
    """A request as it was seen to start, and as it was seen to end, if it was."""
    trace_id, span_id = hex_ids(one.ids)
    ids = {"trace_id": trace_id, "span_id": span_id, "attempt_id": f"{trace_id}/{span_id}"}
    same = about | ids | {"process": one.process}
    if one.said is not NOTHING:
        said = {"reported": one.said.reported, "executed": one.said.executed, "proof": one.said.proof}
        more = more | {name: value for name, value in said.items() if value is not None}
    if one.wire_requests is not None:
        more = more | {"wire_requests": one.wire_requests}
    if one.ended_at is None or one.ending is None:
        return [Attempt(**same, **more, observed_at=one.started_at, started_only=True if abandoned else None)]
    if one.ending.not_sent:
        more = more | {"executed": False, "proof": NOT_SENT}
    started = Attempt(**same, **{name: more[name] for name in more if name in _AT_START}, observed_at=one.started_at)
    ended = Attempt(
        **same,
        **more,
        observed_at=one.ended_at,
        transport=one.ending.transport,
        http_status=one.ending.http_status,
    )
    return [started, ended]


def call_attempt(
    call: Call, choice: Choice, end: CallEnd, about: dict[str, Any], payload: dict[str, Any]
) -> list[Attempt]:
    """The call itself as the one attempt."""
    trace_id, span_id = hex_ids(call.ids)
    same = about | {"trace_id": trace_id, "span_id": span_id, "attempt_id": f"{trace_id}/{span_id}"}
    wire = repeats(choice.parts)
    key: dict[str, Any] = {}
    if choice.parts and _one_key(choice.parts):
        key = key_of(choice.last, call.said.key_scope, captured=True)
    elif wire is not None and any(one.key is not None for one in choice.parts):
        key = {"idempotency_key": None}
    elif not choice.parts:
        key = {"key_state": NO_REQUEST}
    elif not all(one.keyless for one in choice.parts):
        key = {"key_state": UNSEEN}
    more = payload | key | {"wire_requests": wire}
    if call.overflow:
        more["attempt_no"] = MISSING
    steps = [one for one in choice.parts if one.stated]
    same |= {"dispatch_ref": same["attempt_id"] if steps else None}
    started = Attempt(**same, **payload, **key, observed_at=call.started_at, started_only=end.at is None or None)
    if end.at is None:
        return [started, *_steps(steps, same)]
    more |= {"executed": end.executed, "proof": end.proof} | _told(call, end)
    return [started, Attempt(**same, **more, observed_at=end.at, transport=end.transport), *_steps(steps, same)]


def _steps(stated: Iterable[Dispatched], whole: dict[str, Any]) -> Iterable[Attempt]:
    """Requests that were stated when they left, and turn out to be steps of one attempt: views of that one."""
    for one in stated:
        trace_id, span_id = hex_ids(one.ids)
        ids = {"trace_id": trace_id, "span_id": span_id, "attempt_id": one.attempt_id, "process": one.process}
        yield Attempt(**whole | ids, observed_at=one.started_at)


def key_of(one: Dispatched, scope: str | None, *, captured: bool) -> dict[str, Any]:
    """The key that a request was sent; "none" where its span, or others, show that a key would have been seen."""
    if one.key is not None:
        return {"idempotency_key": one.key, "key_scope": scope or one.target.server or None}
    if captured or one.keyless:
        return {"idempotency_key": None}
    return {"idempotency_key": FROM_INTENT, "key_state": UNSEEN}


def _told(call: Call, end: CallEnd, last: Dispatched | None = None) -> dict[str, Any]:
    """What the caller was told of the call, and what the application says of it on the call's own span.

    A tool whose ``last`` request was refused, or lost, and that returns in order has told its caller something, in
    words that nobody knows: to return "declined" is how a model is told. That is no report of success.
    """
    said = call.said
    returned = end.reported
    if returned is Reported.SUCCESS and last is not None and not last.is_clean:
        returned = None
    told: dict[str, Any] = {"reported": said.reported or returned}
    if said.executed is not None:
        told |= {"executed": said.executed, "proof": said.proof}
    return told


def _one_key(parts: Iterable[Dispatched]) -> bool:
    keys = {one.key for one in parts}
    return len(keys) == 1 and None not in keys


_KEY = ("idempotency_key", "key_scope")
_AT_START = frozenset(
    (
        *_KEY,
        "key_state",
        "payload_hash",
        "payload_state",
        "scope",
        "tool_call_id",
        "run_id",
        "id_source",
        "replay",
        "advice",
    )
)

UNKNOWN = CallEnd(None, Transport.STARTED)
"""The end of a call that was never seen to end."""
