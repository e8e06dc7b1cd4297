"""Spark in a test: one session for all, small, and stories kept apart by the names in them."""

import json
import sys
from collections.abc import Callable, Iterable
from functools import cache
from os import environ
from pathlib import Path
from time import monotonic, sleep

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from counterfoil.engines.spark import session, verdicts
from counterfoil.engines.times import Times
from counterfoil.ledger.judging import SECOND, Timing

CONF = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a test is over before more pays off
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.minBatchesToRetain": "2",
    "spark.log.level": "ERROR",
}

AT_ONCE = Times(Timing(settle_after=0, deadline=600 * SECOND))
"""Everything is judged in the micro-batch in which it comes."""

BOUND_S = 300.0
"""Generous: a machine that has other work must not fail a test."""


@cache
def spark() -> SparkSession:
    environ["PYSPARK_PYTHON"] = sys.executable
    return session("tests", CONF)


def streamed(source: Path, folder: Path, files_at_once: int = 100, partitions: int = 1) -> StreamingQuery:
    """Starts a stream from one folder of lines into `said` below another. Each partition costs a second or two."""
    spark().conf.set("spark.sql.shuffle.partitions", str(partitions))
    read = spark().readStream.option("maxFilesPerTrigger", files_at_once).text(str(source))
    sink = verdicts(read, AT_ONCE).writeStream.format("parquet").option("path", str(folder / "said"))
    return sink.option("checkpointLocation", str(folder / "checkpoint")).trigger(processingTime="0 seconds").start()


def until(query: StreamingQuery, done: Callable[[], bool]) -> None:
    """Waits for a condition, and stops the stream; one that broke says why."""
    give_up = monotonic() + BOUND_S
    try:
        while not done():
            if (broken := query.exception()) is not None:
                raise broken
            assert monotonic() < give_up, f"the stream came no further than {query.lastProgress}"
            sleep(0.05)
    finally:
        query.stop()


def read_all(query: StreamingQuery, lines: int) -> Callable[[], bool]:
    """All lines of the source went through a micro-batch that is done."""
    return lambda: sum(batch["numInputRows"] for batch in query.recentProgress) >= lines


def said(folder: Path) -> list[dict[str, object]]:
    """Every row that was said, as readers of the folder see it."""
    return [row.asDict() for row in spark().read.parquet(str(folder / "said")).collect()]


def last_said(rows: Iterable[dict[str, object]]) -> dict[str, dict[str, object]]:
    """By operation, the row with the largest revision. No revision was said twice."""
    found: dict[str, dict[str, object]] = {}
    seen = set()
    for row in sorted(rows, key=lambda row: row["revision"]):
        assert (row["operation_id"], row["revision"]) not in seen, "a revision was said twice"
        seen.add((row["operation_id"], row["revision"]))
        found[str(row["operation_id"])] = row
    return found


def renamed(line: bytes, world: str) -> bytes:
    """The same record in a world of its own: its operation, and all that operations may share."""
    record = json.loads(line)
    shared = ("operation_id", "idempotency_key", "effect_ref", "about_ref", "compensates", "intent_ref")
    return json.dumps(
        {k: f"{world}/{v}" if k in shared and isinstance(v, str) else v for k, v in record.items()}
    ).encode()
