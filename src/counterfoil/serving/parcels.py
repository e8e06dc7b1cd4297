"""What a request holds: facts, and what isn't one. Log records that are no facts are nobody's evidence.

A fact that can't be read is rejected, and the operation that it names is left in doubt: what it said is lost for good,
since nobody sends it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import orjson
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from counterfoil import names
from counterfoil.facts import Fact, Gap, Unreadable
from counterfoil.ledger.packing import is_storable
from counterfoil.reading.evidence import Unusable, fact_from
from counterfoil.reading.otlp import NEWER, any_value, attributes_of, objects, record_logged
from counterfoil.serving.answers import Refused, Why
from counterfoil.serving.limits import Limits

Said = Mapping[str, object]

TOO_MANY, TOO_LONG = "more attributes than a fact may have", "longer than a fact may be"
_CAUSES = {TOO_MANY: "too_many_attributes", TOO_LONG: "too_large", NEWER: "newer_version"}
_SCALARS = ("string_value", "bool_value", "int_value", "double_value")


@dataclass(slots=True)
class Parcel:
    """``facts`` are to be kept. ``rejected``: facts that can't be, by cause."""

    facts: list[Fact | Gap] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)

    def take(self, said: Said | Unusable | None, limits: Limits) -> None:
        """One log record's attributes; None: it is no fact's."""
        if said is None:
            return
        try:
            if isinstance(said, Unusable):
                raise said
            self.facts.append(_fact(said, limits))
        except Unusable as wrong:
            self.reject(wrong.what, wrong.operation_id)
        except Exception:  # a reader of ours that breaks costs one record
            self.reject("could not be read", None if isinstance(said, Unusable) else _named(said))

    def reject(self, what: str, operation_id: str | None) -> None:
        self.rejected[_CAUSES.get(what, "unreadable")] += 1
        if operation_id is not None and is_storable(operation_id):
            self.facts.append(Unreadable(operation_id=operation_id, observed_at=0, field=what))


def parcel_of_protobuf(body: bytes, limits: Limits) -> Parcel:
    """Raises `Refused` where this is no export request."""
    try:
        request = ExportLogsServiceRequest.FromString(body)
    except DecodeError:
        raise Refused(Why.MALFORMED) from None
    parcel = Parcel()
    for resource in request.resource_logs:
        for scope in resource.scope_logs:
            for log in scope.log_records:
                parcel.take(_said_of(log, limits), limits)
    return parcel


def parcel_of_json(body: bytes, limits: Limits) -> Parcel:
    """The same in OTLP's JSON. Raises `Refused`."""
    parcel = Parcel()
    try:
        request = orjson.loads(body)
        if not isinstance(request, dict):
            raise Refused(Why.MALFORMED)
        for said in _said_in(request, limits):
            parcel.take(said, limits)
    except (orjson.JSONDecodeError, Unusable):
        raise Refused(Why.MALFORMED) from None
    return parcel


def _said_of(log: LogRecord, limits: Limits) -> Said | Unusable | None:
    if len(log.attributes) > limits.attributes:
        return Unusable(TOO_MANY) if log.event_name == names.FACT_EVENT else None
    said = {one.key: _value(one.value) for one in log.attributes}
    return said if names.FACT_EVENT in (log.event_name, said.get("event.name")) else None


def _value(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    return getattr(value, kind) if kind in _SCALARS else any_value(MessageToDict(value))


def _said_in(request: Mapping[str, object], limits: Limits) -> Iterator[Said | Unusable | None]:
    for resource in objects(request, "resourceLogs"):
        for scope in objects(resource, "scopeLogs"):
            for log in objects(scope, "logRecords"):
                try:
                    is_event = log.get("eventName") == names.FACT_EVENT
                    if len(objects(log, "attributes")) > limits.attributes:
                        yield Unusable(TOO_MANY) if is_event else None
                        continue
                    said = attributes_of(log)
                    yield said if is_event or said.get("event.name") == names.FACT_EVENT else None
                except Unusable as wrong:
                    yield wrong


def _fact(said: Said, limits: Limits) -> Fact | Gap:
    whole = said.get(names.FACT_RECORD)
    if isinstance(whole, str) and len(whole) > limits.record:
        raise Unusable(TOO_LONG, _named(said))
    fact = fact_from({"kind": None, **record_logged(said)})
    if isinstance(fact, Fact) and not is_storable(fact.operation_id):
        raise Unusable("an operation's name that can't be kept")
    return fact


def _named(said: Said) -> str | None:
    operation_id = said.get(names.OPERATION_ID)
    return operation_id if isinstance(operation_id, str) else None
