"""Operations that look like one: the same request of the same tool in one conversation, under two names.

A hint for people, never a finding: a model that asks for the same thing again may well mean it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from counterfoil.facts import Intent
from counterfoil.operations import Operation

Look = tuple[str, str, str]


@dataclass(slots=True)
class Twins:
    """For each look, the operation that had it first."""

    _first: dict[Look, tuple[int, str]] = field(default_factory=dict)

    def meet(self, operation: Operation) -> None:
        for look, at in _looks(operation):
            place = (at, operation.operation_id)
            self._first[look] = min(self._first.get(look, place), place)

    def part(self, operation: Operation) -> None:
        for look, _ in _looks(operation):
            if self._first.get(look, (0, ""))[1] == operation.operation_id:
                del self._first[look]

    def of(self, operation: Operation) -> str | None:
        """An earlier operation that looks the same, if there is one."""
        firsts = (self._first[look] for look, _ in _looks(operation) if look in self._first)
        return next((name for _, name in firsts if name != operation.operation_id), None)


def _looks(operation: Operation) -> list[tuple[Look, int]]:
    return [(look, intent.observed_at) for intent in operation.intents if (look := _look(intent)) is not None]


def _look(intent: Intent) -> Look | None:
    if intent.conversation_id is None or intent.tool is None or intent.payload_hash is None:
        return None
    return intent.conversation_id, intent.tool, intent.payload_hash
