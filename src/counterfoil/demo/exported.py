"""Reads back what left the pipeline: the verdict spans, and how the tool spans ended.

Nothing here judges. What the demo shows is what any backend would have received.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil import names

ERROR = 2
"""`STATUS_CODE_ERROR` of OTLP."""


@dataclass(frozen=True, slots=True)
class ExportedSpan:
    """A span as the file has it. Attributes are plain values; a list is a list."""

    scope: str
    name: str
    error: bool
    attributes: Mapping[str, object]
    start: int

    @property
    def operation_id(self) -> str | None:
        value = self.attributes.get(names.OPERATION_ID)
        return value if isinstance(value, str) else None


def spans_in(path: Path) -> list[ExportedSpan]:
    """Every span of a file of OTLP JSON lines, in order of start. Raises `OSError`, and `ValueError` for no JSON."""
    with path.open(encoding="utf-8") as lines:
        found = [span for line in lines for span in _spans(json.loads(line))]
    return sorted(found, key=lambda span: span.start)


def verdicts(spans: list[ExportedSpan]) -> dict[str, Mapping[str, object]]:
    """For each operation the newest revision of its verdict, as the attributes of the verdict span."""
    newest: dict[str, Mapping[str, object]] = {}
    for span in spans:
        name, told = span.operation_id, span.attributes
        if name is None or span.scope != names.SCOPE or names.VERDICT not in told:
            continue
        if _revision(told) >= _revision(newest.get(name, {})):
            newest[name] = told
    return newest


def transport(spans: list[ExportedSpan]) -> dict[str, tuple[str, ...]]:
    """For each operation how its tool calls ended by the status of their spans: all that a usual dashboard knows."""
    ends: dict[str, tuple[str, ...]] = {}
    for span in spans:
        name = span.operation_id
        if name is not None and span.scope == "pydantic-ai" and span.name.startswith("execute_tool "):
            ends[name] = (*ends.get(name, ()), "error" if span.error else "ok")
    return ends


def _revision(told: Mapping[str, object]) -> int:
    value = told.get(names.REVISION)
    return value if isinstance(value, int) else 0


def _spans(request: Mapping[str, Any]) -> Iterator[ExportedSpan]:
    for resource in request.get("resourceSpans", ()):
        for scoped in resource["scopeSpans"]:
            for span in scoped["spans"]:
                yield ExportedSpan(
                    scope=scoped.get("scope", {}).get("name", ""),
                    name=span["name"],
                    error=span.get("status", {}).get("code") == ERROR,
                    attributes={a["key"]: _plain(a["value"]) for a in span.get("attributes", ())},
                    start=int(span["startTimeUnixNano"]),
                )


def _plain(value: Mapping[str, Any]) -> object:
    """The value inside OTLP's `{"stringValue": …}`. A 64 bit integer is written as a text there."""
    match value:
        case {"intValue": number}:
            return int(number)
        case {"arrayValue": {"values": list(items)}}:
            return [_plain(item) for item in items]
        case {"arrayValue": _}:
            return []
        case _:
            return next(iter(value.values()), None)
