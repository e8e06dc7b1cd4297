"""The job for Spark Structured Streaming (extra ``spark``): facts in, verdicts out, with the `fold` and `judge` of all.

    lines ── sending ── meeting by key and reference ── meeting by intent ── judging ── verdicts
           (operation)             (link)                    (link)        (operation)

Every stage is a `transformWithState` with its state in RocksDB. Offsets, state and timers are in the checkpoint: a job
that was killed goes on from there, and no revision is said twice by a sink that knows its batches, such as a folder of
Parquet read by Spark. A sink that doesn't, such as Kafka, may get a revision again, with the same content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow
from pyspark.sql import DataFrame, SparkSession

from counterfoil.engines.gathering import gathered
from counterfoil.engines.judging import SPAN, VERDICTS, Judging
from counterfoil.engines.lines import LeftOut, rows
from counterfoil.engines.meeting import Meeting
from counterfoil.engines.parcels import OF_INTENT, OF_KEY, OF_REFERENCE, SCHEMA
from counterfoil.engines.sending import Sending
from counterfoil.engines.times import Times

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

CONF = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
}
"""What a session must have. State and timers of `transformWithState` need RocksDB; a changelog keeps commits small."""

_ARROW = pyarrow.schema([("bucket", pyarrow.int32()), ("kind", pyarrow.string()), ("parcels", pyarrow.binary())])
_FACTS_AT_ONCE, _ROWS_AT_ONCE = 10_000, 100


def session(name: str, conf: dict[str, str]) -> SparkSession:
    """A session with `CONF`, and ``conf`` beside it. An active one is used where there is one."""
    builder = SparkSession.builder.appName(name)
    for key, value in {**CONF, **conf}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def verdicts(
    lines: DataFrame, times: Times, left_out: Callable[[LeftOut], object] = lambda cause: None, *, spans: bool = False
) -> DataFrame:
    """Verdicts on what these lines hold (a column ``value`` of text or bytes): rows of `judging.VERDICTS`, and of
    `judging.SPAN` with ``spans``. Workers call ``left_out`` with why, for each fact or line that can't be taken."""
    facts = lines.select("value").mapInArrow(partial(_read, left_out), SCHEMA)
    keep = times.keep_s
    sent = _keyed(facts, Sending(keep), SCHEMA)
    met = _keyed(sent, Meeting(OF_KEY + OF_REFERENCE, keep), SCHEMA)
    pooled = _keyed(met, Meeting(OF_INTENT, keep), SCHEMA)
    return _keyed(pooled, Judging(times, spans=spans), VERDICTS + SPAN if spans else VERDICTS)


def _keyed(rows: DataFrame, stage: StatefulProcessor, schema: str) -> DataFrame:
    return rows.groupBy("bucket").transformWithState(stage, schema, "Append", "ProcessingTime")


def _read(left_out: Callable[[LeftOut], object], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        found = gathered(rows(batch.column(0).to_pylist(), left_out), _FACTS_AT_ONCE)
        while some := list(islice(found, _ROWS_AT_ONCE)):
            columns = zip(*some, strict=True)
            arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, _ARROW, strict=True)]
            yield pyarrow.RecordBatch.from_arrays(arrays, schema=_ARROW)
