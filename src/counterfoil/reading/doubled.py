"""Two instrumentations of one framework tell of every call twice, in one trace or in two. Here it is known again.

Both are told by the framework, one right after the other, before a tool's body begins and after it ends: so their spans
overlap in time, and of several calls that look alike the n-th of one is the n-th of the other. Nothing that can be
compared may differ: call id, conversation, request. Two calls would be taken for one only where they look alike in all
of this, overlap, and each was seen by one instrumentation alone, as when each samples for itself.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from counterfoil.reading.calls import Call

MAX_CALLS = 256
"""So many calls of one tool are remembered; a call that is older than those is not known again."""

MAX_TOOLS = 64
"""So many tools' calls are remembered, the latest that were called."""


@dataclass(slots=True)
class Doubled:
    """The calls of frameworks that more than one instrumentation exists for. Bounded by the two numbers above."""

    _known: OrderedDict[tuple[str, str], deque[Call]] = field(default_factory=OrderedDict)

    def add(self, call: Call) -> None:
        """A call that the first of possibly several instrumentations tells of."""
        made = call.tool
        if made is None or made.framework is None:
            return
        name = (made.framework, made.tool)
        self._known.setdefault(name, deque(maxlen=MAX_CALLS)).append(call)
        self._known.move_to_end(name)
        if len(self._known) > MAX_TOOLS:
            self._known.popitem(last=False)

    def first_of(self, second: Call) -> Call | None:
        """The call that this one is another view of; None where it is the first."""
        made = second.tool
        if made is None or made.framework is None:
            return None
        alike = [one for one in self._known.get((made.framework, made.tool), ()) if _may_be(one, second)]
        if not alike:
            return None
        first = min(alike, key=lambda one: (_id(one) is None or _id(one) != made.call_id, one.started_at))
        first.seen_by = (*first.seen_by, second.scope)
        return first


def _may_be(first: Call, second: Call) -> bool:
    if second.scope == first.scope or second.scope in first.seen_by or first.process != second.process:
        return False
    if not _overlap(first, second) or first.tool is None or second.tool is None:
        return False
    compared = (
        (first.tool.call_id, second.tool.call_id),
        (first.tool.conversation_id, second.tool.conversation_id),
        (first.request.payload_hash, second.request.payload_hash),
    )
    return not _differ(compared)


def _overlap(first: Call, second: Call) -> bool:
    return (first.ended_at is None or second.started_at <= first.ended_at) and (
        second.ended_at is None or first.started_at <= second.ended_at
    )


def _differ(pairs: Iterable[tuple[str | None, str | None]]) -> bool:
    return any(one is not None and other is not None and one != other for one, other in pairs)


def _id(call: Call) -> str | None:
    return call.tool.call_id if call.tool is not None else None
