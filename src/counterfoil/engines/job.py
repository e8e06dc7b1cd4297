"""What `spark-submit` runs: a folder of facts in, a folder of verdicts out, until it is stopped.

It stands alone, so that a cluster needs this file and an installed counterfoil, and takes its timing from the settings
that every other command has.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from counterfoil.config import Config
from counterfoil.engines.spark import session, verdicts
from counterfoil.engines.times import Times

MOST_FILES = 64
"""So many new files are read in one micro-batch, so that one after an outage fits into memory like any other."""


def lines(spark: SparkSession, folder: str, most_files: int = MOST_FILES) -> DataFrame:
    """The lines of all files of a folder, and of those that appear in it. A file must appear whole, by a rename: one
    that is still written to is read as far as it is, once. Parquet needs a column ``value``."""
    reader = spark.readStream.option("maxFilesPerTrigger", most_files)
    if folder.endswith(".parquet"):
        return reader.schema("value STRING").parquet(folder)
    return reader.text(folder)


def start(said: DataFrame, folder: str, checkpoint: str, every_s: float) -> StreamingQuery:
    """Writes Parquet to a folder, each revision once for who reads the folder by Spark: after a crash, a file of the
    batch that was lost may lie there that isn't in its `_spark_metadata`."""
    writer = said.writeStream.format("parquet").option("path", folder).option("checkpointLocation", checkpoint)
    return writer.trigger(processingTime=f"{every_s} seconds").start()


def main(arguments: Sequence[str]) -> None:
    asked = _parser().parse_args(arguments)
    config, problems = Config.load()
    for problem in problems:
        print(problem, file=sys.stderr)
    spark = session("counterfoil", {})
    said = verdicts(lines(spark, asked.facts, asked.most_files), Times.from_config(config))
    start(said, asked.verdicts, asked.checkpoint, asked.every).awaitTermination()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="counterfoil on Spark", description=__doc__)
    parser.add_argument("--facts", required=True, help="a folder of evidence or of OTLP JSON lines")
    parser.add_argument("--verdicts", required=True, help="a folder for Parquet")
    parser.add_argument("--checkpoint", required=True, help="a folder that outlives the job and is on shared storage")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two micro-batches")
    parser.add_argument("--most-files", type=int, default=MOST_FILES, help="files that one micro-batch reads at most")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
