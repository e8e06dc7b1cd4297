"""From a line of a file or a message of a topic to facts, each with the operation that it is about.

It is evidence (one record as JSON), or an OTLP export request with `counterfoil.fact` log records as the collector's
file and Kafka exporters write them: in JSON, and in protobuf where it is a message. Spans among them are no facts yet:
they are read where they are made, or by `counterfoil audit`, because a span is read with its whole trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from counterfoil.facts import Fact, Gap
from counterfoil.ledger.faults import LedgerFault
from counterfoil.ledger.packing import Row, rows_of
from counterfoil.reading.evidence import Record, Unusable, fact_from
from counterfoil.reading.lines import MAX_LINE
from counterfoil.reading.ndjson import record_of_line
from counterfoil.reading.otlp import is_otlp
from counterfoil.serving.limits import Limits
from counterfoil.serving.parcels import Parcel, parcel_of_json, parcel_of_protobuf

Addressed = tuple[str, bytes]
"""The operation's id, empty for a gap, and the fact as it lies in a ledger (`ledger.packing`)."""

LeftOut = str
"""Why something was left out: one of `CAUSES`, and nothing of what it was."""

UNREADABLE, TOO_LARGE, UNSTORABLE = "unreadable", "too_large", "unstorable"
CAUSES = (UNREADABLE, TOO_LARGE, "too_many_attributes", "newer_version", UNSTORABLE)

LIMITS = Limits()
"""As large as a judge lets a fact be."""

_OTLP = b'{"resourceLogs"'
_PROTOBUF = b"\n"
"""What an export request that holds anything begins with: its first field's tag. As JSON it may begin a line too."""


def addressed(
    lines: Iterable[bytes | str | None], left_out: Callable[[LeftOut], object] = lambda cause: None
) -> Iterator[Addressed]:
    """Every fact in these lines, without its links (`rows`)."""
    return ((row.operation_id, row.record) for row in rows(lines, left_out))


def rows(
    lines: Iterable[bytes | str | None], left_out: Callable[[LeftOut], object] = lambda cause: None
) -> Iterator[Row]:
    """Every fact in these lines. ``left_out`` is told why, once for each fact that can't be taken and each line that
    can't be read. Never raises for what is in one.

    A fact that can't be read leaves doubt about the operation that it names, where it names one.
    """
    for line in lines:
        if not line:
            continue
        body = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else bytes(line)
        try:
            parcel = _parcel(body)
        except Exception:  # no export request; or a reader of ours breaks, which costs one line and not the job
            left_out(UNREADABLE)
            continue
        for cause, number in parcel.rejected.items():
            for _ in range(number):
                left_out(cause)
        for fact in parcel.facts:
            try:
                ready = rows_of((fact,))
            except LedgerFault:  # a name that no ledger could keep either
                left_out(UNSTORABLE)
                continue
            yield from (*ready.facts, *ready.gaps)


def _parcel(line: bytes) -> Parcel:
    parcel = Parcel()
    if len(line) > MAX_LINE:
        parcel.rejected[TOO_LARGE] += 1
        return parcel
    line = line.removeprefix(b"\xef\xbb\xbf")
    if line.startswith(_OTLP):
        return parcel_of_json(line, LIMITS)
    if line.startswith(_PROTOBUF) and not line.lstrip().startswith(b"{"):
        return parcel_of_protobuf(line, LIMITS)
    try:
        record = record_of_line(line)
    except Unusable as wrong:
        if line.startswith(_PROTOBUF):  # its first length looks like a brace
            return parcel_of_protobuf(line, LIMITS)
        parcel.reject(wrong.what, wrong.operation_id)
        return parcel
    if "kind" in record:
        _take(record, parcel)
    elif is_otlp(record):
        return parcel_of_json(line, LIMITS)
    else:
        parcel.rejected[UNREADABLE] += 1
    return parcel


def _take(record: Record, parcel: Parcel) -> None:
    if record["kind"] == "history":
        return
    try:
        fact: Fact | Gap = fact_from(record)
    except Unusable as wrong:
        parcel.reject(wrong.what, wrong.operation_id)
    else:
        parcel.facts.append(fact)
