"""Runs Logfire's SQL on DataFusion, the engine that Logfire has, with stand-ins for what Logfire adds to it.

Stand-ins: `->` and `->>` on JSON text, `time_bucket`, `metric_increase`, and the dashboard's variables. A query that
runs here has the right syntax, columns and types; how Logfire itself plans it isn't shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import sqlglot
from datafusion import Accumulator, DataFrame, SessionContext, udaf, udf
from sqlglot import expressions

from tests.dashboards.logfire_tables import TIME, metrics, records

RESOLUTION = "1 hour"


class Increase(Accumulator):
    """The sum of all rises of a counter in the order of time. A fall is a restart, and what comes after it a rise."""

    def __init__(self) -> None:
        self._points: list[tuple[Any, float]] = []

    def update(self, values: pa.Array, times: pa.Array) -> None:  # type: ignore[override]
        self._points += zip(times.to_pylist(), values.to_pylist(), strict=True)

    def merge(self, states: list[pa.Array]) -> None:
        values, times = states
        for some_values, some_times in zip(values.to_pylist(), times.to_pylist(), strict=True):
            self._points += zip(some_times, some_values, strict=True)

    def state(self) -> list[pa.Scalar]:
        times, values = zip(*self._points, strict=True) if self._points else ((), ())
        return [pa.scalar(list(values), pa.list_(pa.float64())), pa.scalar(list(times), pa.list_(TIME))]

    def evaluate(self) -> pa.Scalar:
        values = [value for _, value in sorted(self._points)]
        rises = (b - a if b >= a else b for a, b in zip([0.0, *values], values, strict=False))
        return pa.scalar(float(sum(rises)), pa.float64())


class Logfire:
    """The two tables, filled from OTLP JSON lines, and a way to ask them."""

    def __init__(self, lines: Iterable[str]) -> None:
        lines = list(lines)
        self._context = SessionContext()
        self._context.register_udf(
            udf(_json_text, [pa.string(), pa.string()], pa.string(), "immutable", "json_as_text")
        )
        self._context.register_udaf(
            udaf(
                Increase,
                [pa.float64(), TIME],
                pa.float64(),
                [pa.list_(pa.float64()), pa.list_(TIME)],
                "immutable",
                "metric_increase",
            )
        )
        self._context.from_arrow(records(lines), name="records")
        self._context.from_arrow(metrics(lines), name="metrics")

    def ask(self, query: str, **variables: str) -> DataFrame:
        """Run a query as a dashboard would, with its variables; those not given are `%`."""
        return self._context.sql(translated(query, {"service": "%", "tool": "%", **variables}))


def translated(query: str, variables: dict[str, str]) -> str:
    """Logfire's SQL in the words of plain DataFusion."""
    for name, value in {"resolution": RESOLUTION, **variables}.items():
        query = query.replace(f"${name}", "'" + value.replace("'", "''") + "'")
    return sqlglot.parse_one(query, read="postgres").transform(_plain).sql(dialect="postgres")


def _plain(node: expressions.Expression) -> expressions.Expression:
    match node:
        case expressions.JSONExtractScalar() | expressions.JSONExtract():
            key = node.expression
            name = key.expressions[-1].this if isinstance(key, expressions.JSONPath) else key.this
            return expressions.Anonymous(this="json_as_text", expressions=[node.this, expressions.Literal.string(name)])
        case expressions.Anonymous() if node.name.lower() == "time_bucket":
            width, at = node.expressions
            interval = expressions.Cast(this=width, to=expressions.DataType.build("interval"))
            return expressions.Anonymous(this="date_bin", expressions=[interval, at])
        case _:
            return node


def _json_text(documents: pa.Array, keys: pa.Array) -> pa.Array:
    found = [
        None if document is None else json.loads(document).get(key)
        for document, key in zip(documents.to_pylist(), keys.to_pylist(), strict=True)
    ]
    return pa.array(
        [value if value is None or isinstance(value, str) else json.dumps(value) for value in found], pa.string()
    )
