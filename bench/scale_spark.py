"""Streams on Spark, one after the other in one session: `python -m bench.scale_spark RUNS`.

RUNS is a file of JSON lines: ``phases`` (folders of files; each file is a micro-batch), ``partitions``, ``lines`` (how
many there are). For each of them a line of JSON is printed. The first stream, which loads and compiles everything,
is made up and not counted; what a stream costs that has next to nothing to do is measured for each number of
partitions, as ``empty_cpu_s``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from bench.scale_cpu import cpu_s
from bench.scale_facts import digest, even, laid_out, mark
from counterfoil.engines.job import lines as read
from counterfoil.engines.job import start
from counterfoil.engines.spark import session, verdicts
from counterfoil.engines.times import Times
from counterfoil.ledger.judging import SECOND, Timing

AT_ONCE = Times(Timing(settle_after=0, deadline=600 * SECOND))
WARM_LINES = 20_000
"""Enough that the JVM has compiled what it will run; with fewer, the first stream that counts would pay for it."""

CONF = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
}


def streamed(  # noqa: PLR0917 -- each is another thing that is varied
    spark: SparkSession,
    phases: Sequence[Path],
    partitions: int,
    number: int,
    folder: Path,
    took: list[float] | None = None,
) -> float:
    """CPU seconds of one stream, from its start until all of so many lines was judged. Verdicts are in ``said``.
    ``took`` is given the seconds of each micro-batch."""
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    facts = folder / "facts"
    facts.mkdir(parents=True)
    for turn, path in enumerate(path for phase in phases for path in sorted(phase.glob("*.ndjson"))):
        os.utime(shutil.copy(path, facts / f"{turn:03d}.ndjson"), (turn, turn))  # read in the order of their times
    before = cpu_s()
    query = start(verdicts(read(spark, str(facts), 1), AT_ONCE), str(folder / "said"), str(folder / "mark"), every_s=0)
    while sum(batch["numInputRows"] for batch in query.recentProgress) < number:
        if (broken := query.exception()) is not None:
            raise broken
        time.sleep(0.1)
    used = cpu_s() - before
    if took is not None:
        took += [
            batch["durationMs"]["triggerExecution"] / 1e3 for batch in query.recentProgress if batch["numInputRows"]
        ]
    query.stop()
    return used


def said_in(spark: SparkSession, folder: Path) -> str:
    """The digest of what was said last of each operation."""
    last: dict[str, tuple[int, int]] = {}
    for row in spark.read.parquet(str(folder / "said")).toLocalIterator():
        said = (row["revision"], mark(row.asDict()))
        last[row["operation_id"]] = max(last.get(row["operation_id"], said), said)
    return digest(number for _, number in last.values())


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    runs = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spark = session("bench", CONF)
        for what, facts in (("warm", WARM_LINES), ("little", 10)):
            laid_out(folder / what, even(facts), 1)
        streamed(spark, [folder / "warm"], 2, WARM_LINES, folder / "first")
        empty: dict[int, float] = {}
        for number, run in enumerate(runs):
            partitions = run["partitions"]
            if partitions not in empty:
                empty[partitions] = min(
                    streamed(spark, [folder / "little"], partitions, 10, folder / f"empty-{partitions}-{turn}")
                    for turn in range(2)  # the lesser: other work on the machine only adds
                )
            began, where = time.monotonic(), folder / f"run-{number}"
            used = streamed(spark, [Path(phase) for phase in run["phases"]], partitions, run["lines"], where)
            wall = time.monotonic() - began
            said = {"cpu_s": used, "wall_s": wall, "digest": said_in(spark, where), "empty_cpu_s": empty[partitions]}
            print(json.dumps(said), flush=True)
            shutil.rmtree(where)


if __name__ == "__main__":
    main()
