"""From a line of a file or a message of a topic to facts, each with the operation that it is about.

A line is evidence (one record) or an OTLP export request with `counterfoil.fact` log records, as the collector's file
and Kafka exporters write them in JSON. Spans among them are no facts yet: they are read where they are made, or by
`counterfoil audit`, because a span is read with its whole trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterfoil.facts import Fact, Gap, Unreadable
from counterfoil.ledger.faults import LedgerFault
from counterfoil.ledger.packing import rows_of
from counterfoil.reading.evidence import Record, Unusable, fact_from
from counterfoil.reading.ndjson import record_of_line
from counterfoil.reading.otlp import facts_logged, is_otlp

Addressed = tuple[str, bytes]
"""The operation's id, empty for a gap, and the fact as it lies in a ledger (`ledger.packing`)."""


def addressed(lines: Iterable[bytes | str | None]) -> Iterator[Addressed]:
    """Every fact in these lines. Never raises for what is in one.

    A fact that can't be read leaves doubt about the operation that it names, where it names one; without a name it is
    left out, and no engine knows of it.
    """
    for line in lines:
        if line:
            for fact in _facts(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else bytes(line)):
                try:
                    rows = rows_of((fact,))
                except LedgerFault:  # a name that no ledger could keep either
                    continue
                yield from ((row.operation_id, row.record) for row in (*rows.facts, *rows.gaps))


def _facts(line: bytes) -> Iterator[Fact | Gap]:
    try:
        record = record_of_line(line.removeprefix(b"\xef\xbb\xbf"))
        if "kind" in record:
            yield from _fact(record)
        elif is_otlp(record):
            for logged in facts_logged(record):
                yield from _doubt(logged) if isinstance(logged, Unusable) else _fact({"kind": None, **logged})
    except Unusable as wrong:
        yield from _doubt(wrong)
    except Exception:  # a reader of ours that breaks costs one line, not the job
        return


def _fact(record: Record) -> Iterator[Fact | Gap]:
    if record["kind"] == "history":
        return
    try:
        yield fact_from(record)
    except Unusable as wrong:
        yield from _doubt(wrong)


def _doubt(wrong: Unusable) -> Iterator[Fact]:
    if wrong.operation_id is not None:
        yield Unreadable(operation_id=wrong.operation_id, observed_at=0, field=wrong.what)
