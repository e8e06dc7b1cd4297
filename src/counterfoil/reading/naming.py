"""Which operation a call belongs to, when all that can be known of it is known.

Declared beats keyed beats derived. A name that is not unique would merge two operations and invent a retry, so where
none can be made that is, the span's own ids are the name: then nothing is ever merged.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field

from counterfoil.reading.calls import Call, CallEnd
from counterfoil.reading.identity import DERIVED, derived_operation_id

KEYED, BY_CALL, BY_SPAN = "idempotency_key", "tool_call_id", "span"
"""How an operation got a name that nobody declared: the ``id_source`` of its facts."""

MAX_REMEMBERED = 20_000
"""So many names are remembered, each to tell a call from another one that looks like it."""

Name = tuple[str, str | None]
"""An operation's id, and its source; None where it was declared."""


@dataclass(slots=True)
class Names:
    """Names given so far, so that one which stands for one call isn't given to another."""

    _calls: OrderedDict[str, tuple[object, ...]] = field(default_factory=OrderedDict)
    _inherited: OrderedDict[str, tuple[object, ...]] = field(default_factory=OrderedDict)

    def inherited(self, name: str, tool: str, request_hash: str | None) -> bool:
        """Whether a call may have a name that was declared for more than itself, outside of the agent's run.

        The first call there takes it, and its repeats have it: the same tool with the same request. Everything else
        that the agent does is another operation.
        """
        return _first(self._inherited, name, (tool, request_hash))

    def of(self, call: Call, end: CallEnd) -> Name:
        """The operation that a call belongs to."""
        declared = call.declared or call.request.operation_id or end.operation_id
        if declared is not None:
            return declared, BY_CALL if declared.startswith(f"{DERIVED}:") else None  # as the agent itself derives it
        if len(call.below) == 1 and not any(one.declared is None for one in call.dispatches):
            return call.below[0], None
        keys = _keys(call)
        if len(keys) == 1:
            return _keyed(*keys.pop()), KEYED
        return self._derived(call, end)

    def _derived(self, call: Call, end: CallEnd) -> Name:
        """From conversation, call and request. A run makes each call once: a call id that comes again in one run,
        after the first was carried out, is another call under a used id."""
        tool, request = call.tool, call.request
        request_hash = call.said.request_hash or request.payload_hash
        if tool is not None and request_hash is not None:
            name = derived_operation_id(tool.conversation_id, tool.call_id, request_hash)
            if name is not None:
                deferred = end.executed is False
                who = (tool.run_id, call.scope, call.ids.span_id)
                known = self._calls.get(name)
                if known is None and not deferred:
                    _first(self._calls, name, who)
                again = known is not None and known[:2] == who[:2] and known[2] != who[2]
                if not again or call.replay:
                    return name, BY_CALL
        return f"span:{call.ids.trace_id:032x}{call.ids.span_id:016x}", BY_SPAN


def _keys(call: Call) -> set[tuple[str, str | None]]:
    """The distinct keys of a call, each with the scope in which it is known."""
    scope = call.said.key_scope
    sent = [one for one in call.dispatches if not one.declared and not one.inner]  # of those that are attempts
    found = {(one.key, scope or one.target.server or None) for one in sent if one.key}
    own = call.said.idempotency_key or call.request.idempotency_key
    if own is not None and own not in {key for key, _ in found}:
        found.add((own, scope))
    return found


def _keyed(key: str, scope: str | None) -> str:
    digest = hashlib.sha256(f"{key} {scope or ''}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"key:{digest[:32]}"


def _first(known: OrderedDict[str, tuple[object, ...]], name: str, who: tuple[object, ...]) -> bool:
    """Whether this is who had the name first. Of too many names the oldest is forgotten."""
    if known.setdefault(name, who) != who:
        return False
    if len(known) > MAX_REMEMBERED:
        known.popitem(last=False)
    return True
