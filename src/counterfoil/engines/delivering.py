"""Verdicts to where they are to go, a micro-batch at a time: topics first, then OTLP.

A micro-batch counts as done when everybody has taken it. One that was cut off is run again with the same content and
under the same revisions, so whoever had taken some of it gets that again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from counterfoil.engines.places import Topic
from counterfoil.engines.producing import produced
from counterfoil.engines.rows import Row
from counterfoil.engines.telling import Telling


class Delivering:
    """What Spark calls with each micro-batch. ``config``: the path of a file with settings for Kafka's clients."""

    def __init__(self, topics: Sequence[Topic], config: str | None, telling: Telling | None) -> None:
        self._topics = topics
        self._config = config
        self._telling = telling

    def __call__(self, verdicts: DataFrame, number: int) -> None:
        """All of it is judged once, whoever it is for. Raises where somebody doesn't take it."""
        held = verdicts.persist()
        try:
            for topic in self._topics:
                produced(held.drop("span"), topic, self._config)
            if self._telling is not None:
                held.count()  # by all workers at once, and not one partition after the other
                needed = held.drop("witnesses", "judged")
                self._telling.tell(Row(row.asDict()) for row in needed.toLocalIterator())
        finally:
            held.unpersist()


def by(delivering: Delivering, said: DataFrame, checkpoint: str, every_s: float) -> StreamingQuery:
    """Has each micro-batch delivered. Each revision at least once, and a further time only with the same content."""
    writer = said.writeStream.foreachBatch(delivering).option("checkpointLocation", checkpoint)
    return writer.trigger(processingTime=f"{every_s} seconds").start()
