"""OTLP JSON as the collector's `file` exporter writes it, one export request a line: its shape, without its meaning.

Field names, ids in hex and integers as text are those of the OTLP/JSON encoding; ids in base64 and enums by name, which
protobuf's own JSON has, are read as well. A value that isn't what it should be costs the one span or log record that it
is in; the others of the request are read.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import cast

import orjson

from counterfoil import names
from counterfoil.reading.evidence import Record, Unusable
from counterfoil.records import VERSION

Object = Mapping[str, object]

SIGNALS = ("resourceSpans", "resourceLogs", "resourceMetrics")
"""What a line of each signal begins with."""

NEWER = f"a fact of a newer version than {VERSION}"
"""Why a fact is refused whose sender knows more than this reader."""

MAX_NESTED = 8
"""So deep are arrays and maps within an attribute read; what lies deeper is left out."""


def is_otlp(record: Record) -> bool:
    return any(signal in record for signal in SIGNALS)


def objects(parent: Object, name: str) -> Sequence[Object]:
    """The list of objects under a name; an absent one is empty. Raises `Unusable` where it is anything else."""
    found = parent.get(name)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise Unusable(f"OTLP: {name} is no list of objects")
    return found


def attributes_of(parent: Object, but: Container[str] = ()) -> dict[str, object]:
    """The attributes of a resource, scope, span, event or log record, as Python values, but for those named."""
    return {
        key: value
        for one in objects(parent, "attributes")
        if isinstance(key := one.get("key"), str)
        and key not in but
        and (value := any_value(one.get("value"))) is not None
    }


def any_value(value: object, depth: int = MAX_NESTED) -> object:
    """An `AnyValue` as a Python value; None for what is empty, unknown or too deep."""
    if not isinstance(value, dict) or not depth:
        return None
    for kind, inner in value.items():
        if kind in ("stringValue", "boolValue", "doubleValue"):
            return cast(object, inner)
        if kind == "intValue":
            return integer(inner)
        if kind == "arrayValue" and isinstance(inner, dict):
            return [any_value(one, depth - 1) for one in objects(inner, "values")]
        if kind == "kvlistValue" and isinstance(inner, dict):
            return {str(one.get("key")): any_value(one.get("value"), depth - 1) for one in objects(inner, "values")}
    return None


def integer(value: object) -> int:
    """A number, or one as text, as 64 bits are written in JSON. Raises `Unusable`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value) <= 20 and value.removeprefix("-").isdecimal():
        return int(value)
    raise Unusable("OTLP: not an integer")


def facts_logged(record: Record) -> Iterator[Record | Unusable]:
    """The evidence records in the `counterfoil.fact` events among the logs. Other logs are nobody's evidence."""
    for resource in objects(record, "resourceLogs"):
        for scope in objects(resource, "scopeLogs"):
            for log in objects(scope, "logRecords"):
                try:
                    said = attributes_of(log)
                    if names.FACT_EVENT in (log.get("eventName"), said.get("event.name")):
                        yield record_logged(said)
                except Unusable as wrong:
                    yield wrong


def record_logged(said: Mapping[str, object]) -> Record:
    """The record in a fact event with these attributes: one text that holds it whole, or attributes of the same names.
    Raises `Unusable`, also for a version that is newer than this reader's."""
    operation_id = said.get(names.OPERATION_ID)
    about = operation_id if isinstance(operation_id, str) else None
    version = said.get(names.FACT_VERSION, VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise Unusable(NEWER, about)
    whole = said.get(names.FACT_RECORD)
    if not isinstance(whole, str):
        return said
    try:
        record = orjson.loads(whole)
    except orjson.JSONDecodeError:
        record = None
    if not isinstance(record, dict):
        raise Unusable("a fact that is no JSON object", about)
    return record
