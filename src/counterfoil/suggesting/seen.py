"""What was seen of each tool, as numbers and names of fields. Values are looked at for none of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_TOOLS = 500
"""So many tools are told apart; of more, the later ones are left out and counted."""

MAX_FIELDS = 200
"""So many fields are counted of one tool's arguments, and of its results."""

DEPTH = 3
"""So far down a document fields are looked for."""

_PLAIN = re.compile(r"[A-Za-z_]{1,40}", re.ASCII)
"""A field's name that may be shown. One with digits, or of other letters, could be a value that serves as a name."""


@dataclass(slots=True)
class ToolSeen:
    """One tool. ``known`` counts the operations whose outcome the evidence decides, out of ``operations``."""

    name: str
    operations: int = 0
    known: int = 0
    calls: int = 0
    with_arguments: int = 0
    results: int = 0
    requests: Counter[tuple[str, str]] = field(default_factory=Counter)  # by method ("" unknown) and host
    with_key: int = 0
    arguments: Counter[str] = field(default_factory=Counter)
    result: Counter[str] = field(default_factory=Counter)
    headers: Counter[str] = field(default_factory=Counter)
    declared: int = 0

    @property
    def in_doubt(self) -> int:
        return self.operations - self.known

    @property
    def place(self) -> tuple[bool, int, int, str]:
        """Where it stands in the file: what would tell most if somebody declared it comes first, reads come last."""
        return self.only_reads, -self.in_doubt, -self.calls, self.name

    @property
    def only_reads(self) -> bool:
        methods = {method for method, _ in self.requests}
        return bool(methods) and methods <= {"GET", "HEAD", "OPTIONS"}


Record = dict[str, Any]
"""What one process saw of one tool, JSON-ready: see `record_of`."""

_COUNTS = ("operations", "known", "calls", "with_arguments", "results", "with_key", "declared")
_FIELDS = ("arguments", "result", "headers")


def record_of(seen: ToolSeen) -> Record:
    """Numbers and names of fields, for another process to add up."""
    fields = {name: dict(getattr(seen, name)) for name in _FIELDS}
    requests = [[method, host, times] for (method, host), times in seen.requests.items()]
    return {"name": seen.name, **{name: getattr(seen, name) for name in _COUNTS}, **fields, "requests": requests}


class Tools:
    """All tools by name, in bounds."""

    def __init__(self) -> None:
        self._by_name: dict[str, ToolSeen] = {}
        self.left_out = 0

    def of(self, name: str) -> ToolSeen:
        """What is known of this tool. For one too many, something that nobody reads."""
        seen = self._by_name.get(name)
        if seen is None:
            seen = ToolSeen(name)
            if len(self._by_name) < MAX_TOOLS:
                self._by_name[name] = seen
            else:
                self.left_out += 1
        return seen

    def add(self, record: Record) -> None:
        """Add what another process saw."""
        seen = self.of(record["name"])
        for name in _COUNTS:
            setattr(seen, name, getattr(seen, name) + record[name])
        for name in _FIELDS:
            getattr(seen, name).update(record[name])
        for method, host, times in record["requests"]:
            seen.requests[method, host] += times

    def records(self) -> list[Record]:
        return [record_of(seen) for seen in self._by_name.values()]

    def most_valuable_first(self) -> list[ToolSeen]:
        return sorted(self._by_name.values(), key=lambda seen: seen.place)


def count_fields(into: Counter[str], document: object) -> None:
    """Count each field of a document once, by its path: ``order.id``."""
    for path in set(_paths(document, (), DEPTH)):
        if path in into or len(into) < MAX_FIELDS:
            into[path] += 1


def _paths(document: object, above: tuple[str, ...], depth: int) -> Iterator[str]:
    if not isinstance(document, Mapping):
        return
    for name, value in list(document.items())[:MAX_FIELDS]:
        if not isinstance(name, str) or not _PLAIN.fullmatch(name):
            continue
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield ".".join((*above, name))
        elif depth > 1:
            yield from _paths(value, (*above, name), depth - 1)
