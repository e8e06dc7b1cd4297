"""What `spark-submit` runs: facts in, verdicts out, until it is stopped.

It stands alone, so that a cluster needs this file and an installed counterfoil, and takes its timing from the settings
that every other command has.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from counterfoil.config import Config
from counterfoil.engines.delivering import Delivering, by
from counterfoil.engines.leaving_out import Tally, Watching
from counterfoil.engines.places import OTLP, NoPlace, OnLoss, Topic, topic_of, ways_of
from counterfoil.engines.spark import session, verdicts
from counterfoil.engines.telling import ENDPOINTS, Telling
from counterfoil.engines.times import Times

MOST_FILES = 64
"""So many new files are read in one micro-batch, so that one after an outage fits into memory like any other."""

MOST_MESSAGES = 10_000
"""So many messages of a topic are. A message of the collector's is up to a megabyte of facts."""


def lines(spark: SparkSession, folder: str, most_files: int = MOST_FILES) -> DataFrame:
    """The lines of all files of a folder, and of those that appear in it. A file must appear whole, by a rename: one
    that is still written to is read as far as it is, once. Parquet needs a column ``value``."""
    reader = spark.readStream.option("maxFilesPerTrigger", most_files)
    if folder.endswith(".parquet"):
        return reader.schema("value STRING").parquet(folder)
    return reader.text(folder)


def messages(
    spark: SparkSession, topic: Topic, config: str | None = None, most: int = MOST_MESSAGES, lost: str = OnLoss.DOUBT
) -> DataFrame:
    """The messages of a topic, from the first that there is, and those that come."""
    from counterfoil.engines.kafka import FORMAT, Messages

    spark.dataSource.register(Messages)
    reader = spark.readStream.format(FORMAT).option("brokers", topic.brokers).option("topic", topic.name)
    reader = reader.option("most", most).option("lost", lost)
    return (reader.option("config", config) if config else reader).load()


def start(said: DataFrame, folder: str, checkpoint: str, every_s: float) -> StreamingQuery:
    """Writes Parquet to a folder, each revision once for who reads the folder by Spark: after a crash, a file of the
    batch that was lost may lie there that isn't in its `_spark_metadata`."""
    writer = said.writeStream.format("parquet").option("path", folder).option("checkpointLocation", checkpoint)
    return writer.trigger(processingTime=f"{every_s} seconds").start()


def main(arguments: Sequence[str]) -> None:
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        topic, ways = topic_of(asked.facts), ways_of(asked.verdicts)
    except NoPlace as wrong:
        parser.error(str(wrong))
    if ways.otlp and not any(name in os.environ for name in ENDPOINTS):
        parser.error(f"nobody would hear the verdicts; set {ENDPOINTS[0]} on the driver")
    config, problems = Config.load()
    for problem in problems:
        print(problem, file=sys.stderr)
    spark = session("counterfoil", {})
    if topic is None:
        read = lines(spark, asked.facts, asked.most_files)
    else:
        read = messages(spark, topic, asked.kafka_config, asked.most_messages, asked.lost)
    tally = Tally(spark.sparkContext)
    said = verdicts(read, Times.from_config(config), tally.noting, spans=ways.otlp)
    telling = _telling(config) if ways.otlp else None
    spark.streams.addListener(Watching(tally, telling.counters if telling else None))
    if ways.folder is not None:
        query = start(said, ways.folder, asked.checkpoint, asked.every)
    else:
        query = by(Delivering(ways.topics, asked.kafka_config, telling), said, asked.checkpoint, asked.every)
    try:
        query.awaitTermination()
    finally:
        if telling is not None:
            telling.close()


def _telling(config: Config) -> Telling:
    """Where telemetry goes is OpenTelemetry's to say, as for every other program."""
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    from counterfoil.engines.counters import Counters
    from counterfoil.engines.telling import RESOURCE
    from counterfoil.serving.outgoing import Outgoing

    reader = PeriodicExportingMetricReader(OTLPMetricExporter()) if "metrics" in config.emit else None
    return Telling(config, Outgoing(RESOURCE), Counters(RESOURCE, reader))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="counterfoil on Spark", description=__doc__)
    parser.add_argument("--facts", required=True, help="a folder of evidence or OTLP JSON lines, or kafka://HOST/TOPIC")
    parser.add_argument(
        "--verdicts", required=True, action="append", help=f"a folder for Parquet; or kafka://HOST/TOPIC and {OTLP}"
    )
    parser.add_argument("--checkpoint", required=True, help="a folder that outlives the job and is on shared storage")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two micro-batches")
    parser.add_argument("--most-files", type=int, default=MOST_FILES, help="files that one micro-batch reads at most")
    parser.add_argument("--most-messages", type=int, default=MOST_MESSAGES, help="messages that one reads at most")
    parser.add_argument("--kafka-config", help="file of librdkafka settings, at the same path on every machine")
    parser.add_argument(
        "--lost", choices=list(OnLoss), default=OnLoss.DOUBT, help="about messages that were deleted unread"
    )
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
