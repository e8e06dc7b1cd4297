"""What is declared of a tool: by its metadata, under the key ``counterfoil``, and by the operator's TOML file.

    @agent.tool_plain(metadata={"counterfoil": {"operation_id": "order", "effect_ref": "id", "guard": "enforce"}})

The metadata wins. A tool of which anything is declared has a side effect, unless it says ``"side_effect": False``; of
any other nothing is known. A value that can't be used is left out and logged once. What an MCP server says of its own
tool in annotations is a hint: it goes on record, and only the operator's ``idempotent`` in the TOML file is believed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic_ai.tools import ToolDefinition

from counterfoil.config import Lookup, Place, ToolConfig, values
from counterfoil.config.tools import UNKNOWN_TOOL

KEY = "counterfoil"
"""The key of a tool's metadata under which all of this stands."""

log = logging.getLogger("counterfoil")
_told: set[str] = set()
_MOST_TOLD = 1_000

ByArguments = Callable[[Mapping[str, Any]], str | None]
"""Names an operation, from the validated arguments of a call."""


class Guard(StrEnum):
    """What is done before a tool runs again for an intent that it ran for."""

    OFF = "off"
    ADVISE = "advise"  # the span says what enforce would have done
    ENFORCE = "enforce"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """All that is declared of one tool. ``side_effect`` is None where nobody said anything."""

    side_effect: bool | None = None
    operation_id: Lookup | ByArguments | None = None
    effect_ref: Lookup | None = None
    effect_stage: str | None = None
    guard: Guard = Guard.OFF
    give_back: bool = True
    ask: bool = False
    advice: bool = False  # an advisor has to be asked before
    probe: object = None
    probe_lag_s: float = 0.0
    owner: str = "whoever approves"  # who decides about a doubt
    wait_s: float | None = None  # how long that may take
    idempotent_hint: bool | None = None  # as the tool's own server says
    tool: ToolConfig = UNKNOWN_TOOL


def declared(tool_def: ToolDefinition, config: ToolConfig, usual: Guard, advice: str | None = None) -> Declared:
    """Read what is declared. ``usual`` and ``advice``: for tools that have a side effect and name none."""
    own = (tool_def.metadata or {}).get(KEY)
    said: Mapping[str, Any] = own if isinstance(own, Mapping) else {}
    name = tool_def.name
    side_effect = said.get("side_effect", config.side_effect)
    if side_effect is None and (said or config is not UNKNOWN_TOOL):
        side_effect = True
    guard = _guard(name, said.get("guard"), usual)
    return Declared(
        side_effect=side_effect if isinstance(side_effect, bool) else None,
        operation_id=_naming(name, said.get("operation_id")),
        effect_ref=_lookup(name, said.get("effect_ref"), Place.RESULT) or config.effect_ref,
        effect_stage=_stage(name, said.get("effect_stage")) or config.effect_stage,
        guard=guard if side_effect else Guard.OFF,
        give_back=said.get("when_applied", "give_back") == "give_back",
        ask=said.get("when_in_doubt") == "ask",
        advice=bool(side_effect) and _required(name, said.get("advice", config.advice or advice)),
        probe=said.get("probe", config.probe),
        probe_lag_s=_seconds(said.get("probe_lag_s")),
        owner=str(said.get("owner") or "whoever approves"),
        wait_s=_seconds(said.get("ask_within_s")) or None,
        idempotent_hint=_hint(tool_def),
        tool=config,
    )


def complain(tool: str, what: str) -> None:
    """Log it, once for each tool and complaint. The value isn't shown: it may be a function's or a call's."""
    if (line := f"{tool}: {what}") not in _told and len(_told) < _MOST_TOLD:
        _told.add(line)
        log.warning("%s", line)


def _guard(tool: str, value: object, usual: Guard) -> Guard:
    if value is None:
        return usual
    try:
        return Guard(str(value))
    except ValueError:
        complain(tool, f"guard can't be used; write one of {', '.join(Guard)}")
        return usual


def _required(tool: str, value: object) -> bool:
    if value not in (None, False, "required"):
        complain(tool, "advice can't be used; write required, or False")
    return value == "required"


def _stage(tool: str, value: object) -> str | None:
    try:
        return values.stage(value) if value is not None else None
    except ValueError as error:
        complain(tool, f"effect_stage can't be used; {error}")
        return None


def _naming(tool: str, value: object) -> Lookup | ByArguments | None:
    return value if callable(value) else _lookup(tool, value, Place.ARGUMENTS)


def _lookup(tool: str, value: object, usually: Place) -> Lookup | None:
    if value is None:
        return None
    try:
        return Lookup.parse(value, usually)  # type: ignore[arg-type]
    except (ValueError, AttributeError, TypeError):
        complain(tool, f"a name in its {usually} can't be looked up; write a JMESPath expression such as order.id")
        return None


def _hint(tool_def: ToolDefinition) -> bool | None:
    """``idempotentHint`` of the Model Context Protocol, where Pydantic AI's toolset puts the annotations of a tool."""
    annotations = (tool_def.metadata or {}).get("annotations")
    hint = annotations.get("idempotentHint") if isinstance(annotations, Mapping) else None
    return hint if isinstance(hint, bool) else None


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else 0.0
