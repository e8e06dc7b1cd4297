"""An audit of archives on Spark: it sorts, as DuckDB does on one machine, and Python folds and judges.

    archives ── what operations share ── neighbourhoods (driver)
    archives ── by neighbourhood, sorted ── judged, one neighbourhood at a time ── records

No state and no timers: what comes later is another audit. Workers read row groups themselves, so archives lie where all
of them can read: on storage that is mounted at one path, or in a bucket. It says what the audit in one process says, to
the byte. The driver holds the names of operations that share something, and what a table needs.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from counterfoil.archives.buckets import Service
from counterfoil.archives.footer import take_over
from counterfoil.archives.judging import records
from counterfoil.archives.pieces import Piece, about_none, batches, pieces, said_at
from counterfoil.archives.reading import take_in
from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import gaps_of
from counterfoil.auditing.neighbours import homes
from counterfoil.auditing.parts import Asked, Audited, Part, Record
from counterfoil.engines.spark import session
from counterfoil.facts import Gap
from counterfoil.histories.history import History

MOST_TASKS = 1_000
"""So many tasks read, and so many judge, at most: one for each row group where there are fewer."""

AT_ONCE = 1_000
"""Records that a worker hands over at a time."""

_QUIET = {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}
"""Standard error is the command's own."""
_SAID = "name STRING, said BINARY"
_SAID_ARROW = pa.schema([("name", pa.string()), ("said", pa.binary())])


@contextmanager
def audited(archives: Sequence[str], asked: Asked) -> Iterator[Audited]:
    """The audit of these archives, by their paths or addresses in buckets. Raises OSError, `MissingExtra` and `TooNew`.

    Where Spark runs is Spark's to say (``PYSPARK_SUBMIT_ARGS``, ``SPARK_CONF_DIR``); without a word, on this machine.
    """
    service, intake = Service.of(os.environ), Intake()
    for address in archives:
        if (footer := said_at(address, service)) is not None:
            take_over(intake, footer)
        for record in about_none(address, service):
            take_in(intake, record)
    with _spark() as spark:
        found = pieces(archives, service)
        parts = min(max(len(found), spark.sparkContext.defaultParallelism), MOST_TASKS)
        near = _homes(_read(spark, found, "operation_id STRING, shared ARRAY<BINARY>"))
        rows = _sorted(spark, _read(spark, found, "operation_id STRING, record STRING"), near, parts)
        work = partial(_judged, gaps_of(intake), intake.histories, asked)
        told = rows.mapInArrow(work, _SAID).persist(StorageLevel.DISK_ONLY)  # it is asked more than once
        whole = Part()
        for row in told.where("name IS NULL").collect():
            whole.add(pickle.loads(row.said))  # of our own, written by a worker of this very audit
        yield whole.audited(intake, _records(told, parts) if asked.rows is None else iter(()))


@contextmanager
def _spark() -> Iterator[SparkSession]:
    """The session that there is; else one of our own, which ends with the audit."""
    is_ours = SparkSession.getActiveSession() is None
    if is_ours:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers take the first python3 of the path
    spark = session("counterfoil audit", _QUIET if is_ours else {})
    try:
        yield spark
    finally:
        if is_ours:
            spark.stop()


def _read(spark: SparkSession, found: Sequence[Piece], columns: str) -> DataFrame:
    """These columns of all facts about operations. Numbers of pieces are what is laid out over the tasks."""
    numbers = spark.range(0, len(found), 1, max(1, min(len(found), MOST_TASKS)))
    names = [column.split()[0] for column in columns.split(", ")]
    return numbers.mapInArrow(partial(_rows, found, names), columns).where("operation_id IS NOT NULL")


def _rows(
    found: Sequence[Piece], columns: Sequence[str], numbers: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    service = Service.of(os.environ)  # the worker's own: credentials are in no plan
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            yield from batches(found[number], columns, service)


def _homes(facts: DataFrame) -> Mapping[str, str]:
    """Of every operation that shares something, the first of its neighbourhood."""
    links = facts.select("operation_id", F.explode("shared").alias("link"))
    first = F.min("operation_id").over(Window.partitionBy("link"))
    pairs = links.select(first.alias("first"), "operation_id").where("first < operation_id").distinct()
    return homes((one, other) for one, other in pairs.toLocalIterator())


def _sorted(spark: SparkSession, facts: DataFrame, homes: Mapping[str, str], parts: int) -> DataFrame:
    near = spark.createDataFrame(list(homes.items()), "operation_id STRING, first STRING")
    home = F.coalesce("first", "operation_id").alias("home")
    rows = facts.join(near, "operation_id", "left").select(home, "operation_id", "record")
    return rows.repartition(parts, "home").sortWithinPartitions("home", "operation_id", "record")


def _judged(
    gaps: frozenset[Gap], histories: Mapping[str, set[History]], asked: Asked, sorted_: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Records by name, and then, without a name, what the part came to beside them."""
    part = Part()
    rows = (row for batch in sorted_ for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))
    found = records(rows, gaps, histories, asked, part)
    while some := list(islice(found, AT_ONCE)):
        yield _batch(some)
    yield _batch([(None, pickle.dumps(part))])


def _batch(rows: Sequence[tuple[str | None, bytes]]) -> pa.RecordBatch:
    names, said = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays([pa.array(names, pa.string()), pa.array(said, pa.binary())], schema=_SAID_ARROW)


def _records(told: DataFrame, parts: int) -> Iterator[Record]:
    """Sorted by name, as bytes are, which for UTF-8 is as code points are."""
    laid_out = told.where("name IS NOT NULL").repartitionByRange(parts, "name").sortWithinPartitions("name")
    for row in laid_out.toLocalIterator(prefetchPartitions=True):
        yield row.name, bytes(row.said)
