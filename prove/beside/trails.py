"""The spans of a recorded run by operation, for those who judge by spans: calls, requests below them, references.

Whoever uses them is given what Counterfoil was told, too: the operation's name, and references that webhooks brought.
Spans that Counterfoil itself emitted are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from prove.telemetry.lines import Span, spans

VERDICTS = "counterfoil"
"""The scope of spans that an installation without Counterfoil wouldn't have."""

NAME, REF, COUNT = "counterfoil.operation.id", "counterfoil.effect.ref", "counterfoil.effect.count"


@dataclass(slots=True)
class Trail:
    """``calls``: of tools; ``below``: all spans under them; ``refs``: the provider's names for what it made, as tools
    and webhooks brought them; ``traces``: where the calls are."""

    calls: list[Span] = field(default_factory=list)
    below: list[Span] = field(default_factory=list)
    refs: set[str] = field(default_factory=set)
    traces: set[str] = field(default_factory=set)

    @property
    def requests(self) -> list[Span]:
        """What was sent to a provider, as HTTP clients saw it."""
        return [one for one in self.below if one.attributes.get("http.request.method") == "POST"]


@lru_cache(maxsize=1)
def trails(folder: Path) -> dict[str, Trail]:
    """The trail of each operation of which anything arrived. A span that came twice counts once."""
    known: dict[str, Trail] = {}
    names: dict[tuple[str, str], str] = {}
    parents: dict[tuple[str, str], str | None] = {}
    rest: list[Span] = []
    for span in _distinct(folder):
        parents[span.trace, span.span] = span.parent
        called = span.attributes.get("gen_ai.operation.name") == "execute_tool" or span.name.startswith("operation ")
        arguments, result = (_fields(span, f"gen_ai.tool.call.{part}") for part in ("arguments", "result"))
        name = span.attributes.get(NAME) or (arguments.get("reference") if called else None)
        if not isinstance(name, str):
            rest.append(span)
            continue
        trail = known.setdefault(name, Trail())
        refs = (span.attributes.get(REF) if span.attributes.get(COUNT) != 0 else None, result.get("id"))
        trail.refs |= {ref for ref in refs if isinstance(ref, str)}
        if called:
            names[span.trace, span.span] = name
            trail.calls.append(span)
            trail.traces.add(span.trace)
    for span in rest:
        at = span.parent
        while at is not None and (span.trace, at) not in names:
            at = parents.get((span.trace, at))
        if at is not None:
            known[names[span.trace, at]].below.append(span)
    return known


def _distinct(folder: Path) -> Iterator[Span]:
    seen: set[tuple[str, str]] = set()
    for path in sorted((folder / "telemetry").glob("*.jsonl")):
        for span in spans(path):
            if span.scope != VERDICTS and (span.trace, span.span) not in seen:
                seen.add((span.trace, span.span))
                yield span


def _fields(span: Span, name: str) -> dict[str, Any]:
    try:
        made = json.loads(span.attributes.get(name, "{}"))
    except (TypeError, ValueError):
        return {}
    return made if isinstance(made, dict) else {}
