"""Read the environment and one TOML file. The environment wins; what can't be used is left out and told."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from counterfoil import names
from counterfoil.config import probes, values
from counterfoil.config.lookups import Lookup, Place, Volatile
from counterfoil.config.tools import ToolConfig
from counterfoil.errors import ConfigError, SecretError

PREFIX = "COUNTERFOIL_"
CAPTURE = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_"
"""OpenTelemetry's variables that say which headers of requests and of answers stand on spans, but for their last word:
``REQUEST`` or ``RESPONSE``. Regular expressions, with commas between them."""

HASHED = "_COUNTERFOIL_HASHED_HEADERS"
"""What the doors wrote into the variable for requests: as long as that is what it says, its headers are hashed."""

LARGEST_FILE = 1_048_576
"""The largest file that is read, in bytes."""

Parse = Callable[[object], object]
Problems = list[ConfigError]


def read(environ: Mapping[str, str] | None = None) -> tuple[dict[str, object], list[ConfigError]]:
    """The settings that are set and can be used, by the field that holds them, and all that is wrong."""
    environ = os.environ if environ is None else environ
    problems: Problems = []
    path = environ.get(names.CONFIG_SETTING, "").strip()
    table = _file(path, problems) if path else {}
    settings: dict[str, object] = {}
    for name, entry in _SETTINGS.items():
        setting = PREFIX + name.upper()
        if environ.get(setting, "").strip():
            _take(settings, entry, setting, environ[setting], problems)
        elif name in table:
            _take(settings, entry, f"{name} in {path}", table[name], problems)
    captured = environ.get(f"{CAPTURE}REQUEST", "")
    settings["captured_headers"] = tuple(word for pattern in captured.split(",") if (word := pattern.strip()))
    settings["hashed_headers"] = settings["captured_headers"] if captured == environ.get(HASHED) else ()
    settings["hash_key"] = _hash_key(environ, problems)
    settings["tools"] = _tools(table.get("tools", {}), path, problems)
    settings["targets"] = _targets(table.get("targets", {}), path, problems)
    _unknown(f"{{}} in {path}", table.keys(), (*_SETTINGS, "tools", "targets"), problems)
    _unknown("{}", (name for name in environ if name.startswith(PREFIX)), names.SETTINGS, problems)
    return settings, problems


def _take(into: dict[str, object], entry: tuple[str, Parse], setting: str, value: object, problems: Problems) -> None:
    field, parse = entry
    try:
        into[field] = parse(value)
    except ValueError as wrong:
        fit = values.shown(value) if field == "ledger" and isinstance(value, str) else value
        if field == "probe" and isinstance(value, Mapping):  # somebody may have put the secret itself there
            fit = f"a table of {', '.join(value) or 'nothing'}"
        problems.append(ConfigError(setting, fit, str(wrong)))


def _file(path: str, problems: Problems) -> Mapping[str, object]:
    try:
        if Path(path).stat().st_size > LARGEST_FILE:
            raise ValueError("larger than 1 MiB")
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:  # UnicodeDecodeError and TOMLDecodeError are ValueErrors
        reason = (wrong.strerror if isinstance(wrong, OSError) else str(wrong)) or "unreadable"
        problems.append(ConfigError(names.CONFIG_SETTING, path, f"{reason}; name a TOML file that can be read"))
        return {}


def _hash_key(environ: Mapping[str, str], problems: Problems) -> bytes | None:
    own, path = environ.get(names.HASH_KEY_SETTING, ""), environ.get(names.HASH_KEY_FILE_SETTING, "").strip()
    if not own and not path:
        return None
    try:
        return values.secret(own if own else Path(path).read_bytes())
    except OSError as wrong:
        way_out = f"{wrong.strerror}; name a file that can be read"
        problems.append(SecretError(names.HASH_KEY_FILE_SETTING, way_out))  # some put the key itself there
    except ValueError as wrong:
        problems.append(SecretError(names.HASH_KEY_SETTING if own else names.HASH_KEY_FILE_SETTING, str(wrong)))
    return os.urandom(32)


def _tools(tables: object, path: str, problems: Problems) -> dict[str, ToolConfig]:
    if not isinstance(tables, Mapping):
        problems.append(
            ConfigError(f"tools in {path}", tables, "write one table per tool, such as [tools.create_ticket]")
        )
        return {}
    tools: dict[str, ToolConfig] = {}
    for tool, table in tables.items():
        where = f"[tools.{tool}] in {path}"
        if not isinstance(table, Mapping):
            problems.append(ConfigError(where, table, "write a table"))
            continue
        settings: dict[str, object] = {}
        for name, value in table.items():
            if name in _TOOL_SETTINGS:
                _take(settings, _TOOL_SETTINGS[name], f"{name} of {where}", value, problems)
        _unknown(f"{{}} of {where}", table.keys(), _TOOL_SETTINGS, problems)
        tools[tool] = ToolConfig(**settings)  # type: ignore[arg-type]
    return tools


def _targets(tables: object, path: str, problems: Problems) -> dict[str, object]:
    targets: dict[str, object] = {}
    for target, table in tables.items() if isinstance(tables, Mapping) else [("", tables)]:
        _take(targets, (target, probes.limit), f"[targets.{target}] in {path}", table, problems)
    return targets


def _unknown(where: str, found: Iterable[str], known: Iterable[str], problems: Problems) -> None:
    known = tuple(known)
    for name in found:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            way_out = f"no such setting; did you mean {near[0]}?" if near else "no such setting; take it out"
            problems.append(ConfigError(where.format(name), "set", way_out))


def _lookup(usually: Place) -> Parse:
    return lambda value: Lookup.parse(values.text(value), usually)


def _volatile(value: object) -> tuple[Volatile, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list):
        raise ValueError("write a list of fields, such as ['sent_at']")
    return tuple(Volatile.parse(values.text(text)) for text in texts)


_SETTINGS: Mapping[str, tuple[str, Parse]] = {
    "enabled": ("enabled", values.boolean),
    "ledger": ("ledger", values.ledger),
    "settle_after": ("settle_after_s", values.seconds),
    "deadline": ("deadline_s", values.seconds),
    "instrument_pydantic_ai": ("instrument_pydantic_ai", values.boolean),
    "emit": ("emit", values.signals),
    "verdict_spans": ("verdict_spans", values.verdict_spans),
    "max_operations": ("max_operations", values.operations),
    "record_all": ("record_all", values.boolean),
    "capture_keys": ("capture_keys", values.boolean),
    "probe_in_process": ("probe_in_process", values.boolean),
}
_TOOL_SETTINGS: Mapping[str, tuple[str, Parse]] = {
    "side_effect": ("side_effect", values.boolean),
    "operation_id": ("operation_id", _lookup(Place.ARGUMENTS)),
    "idempotency_key": ("idempotency_key", _lookup(Place.ARGUMENTS)),
    "effect_ref": ("effect_ref", _lookup(Place.RESULT)),
    "effect_stage": ("effect_stage", values.stage),
    "intent_ref": ("intent_ref", _lookup(Place.ARGUMENTS)),
    "volatile": ("volatile", _volatile),
    "key_scope": ("key_scope", values.text),
    "key_ttl": ("key_ttl_s", values.seconds),
    "expected_count": ("expected_count", values.effects),
    "settle_after": ("settle_after_s", values.seconds),
    "deadline": ("deadline_s", values.seconds),
    "probe": ("probe", probes.probe),
    "expect": ("expect", probes.expect),
    "idempotent": ("idempotent", values.boolean),
    "advice": ("advice", values.advice),
}
