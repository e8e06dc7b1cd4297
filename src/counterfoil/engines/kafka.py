"""Facts from a topic of Kafka, as a data source of Spark's: offsets are in the job's checkpoint, and nowhere else.

Spark's own connector is a Java archive beside Spark; this needs `confluent-kafka` alone, which a worker has anyway. One
task reads one partition, new partitions are seen with the next micro-batch, and what was deleted unread is told
(`engines.topic`). The job joins no consumer group: who watches lag by groups sees none, Spark's progress shows it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from time import monotonic, sleep
from typing import Any, cast

import pyarrow
from confluent_kafka import IsolationLevel, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows
from pyspark.sql.types import StructType

from counterfoil.engines import clients
from counterfoil.engines.offsets import Kept, Part, begun, bounded, kept, parts
from counterfoil.engines.places import OnLoss
from counterfoil.engines.topic import ASK_S, PATIENCE_S, gathered, is_passing, values

FORMAT = "counterfoil-kafka"
AT_ONCE, AT_ONCE_BYTES = 1_000, 4 * 1024 * 1024
"""What goes from Python to Spark at once: so many messages, and so many bytes where no single one is larger."""

AGAIN_S = 0.5

FIRST, LAST = OffsetSpec.earliest(), OffsetSpec.latest()  # type: ignore[no-untyped-call]
_VALUES = pyarrow.schema([("value", pyarrow.binary())])


class OtherTopic(Exception):
    """The topic isn't the one that the checkpoint is about."""


class Messages(DataSource):
    """Options: ``brokers``, ``topic``, ``config`` (the path of a file of settings), ``most`` messages, ``lost``."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return "value BINARY"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        said = self.options
        most = int(said["most"])
        return Reader(said["brokers"], said["topic"], said.get("config"), most, said.get("lost", OnLoss.DOUBT))


class Reader(DataSourceStreamReader):
    """On the driver it asks how far the topic goes; on workers it reads. It is sent there, so it holds no client."""

    def __init__(
        self, brokers: str, topic: str, config: str | None, most: int, lost: str, *, ask_s: float = ASK_S
    ) -> None:
        self._brokers, self._topic, self._config, self._most, self._lost = brokers, topic, config, most, lost
        self._ask_s = ask_s
        self._admin: AdminClient | None = None
        self._latest: Kept | None = None
        self._is_away = False

    def initialOffset(self) -> dict[str, Any]:
        """The beginning of what there is. A topic that was just made may take a moment until somebody leads it."""
        until = monotonic() + PATIENCE_S
        while True:
            try:
                topic_id, firsts = self._offsets(FIRST)
                return cast(dict[str, Any], kept(topic_id, firsts))
            except KafkaException as failed:
                if not is_passing(failed.args[0]) or monotonic() > until:
                    raise
                sleep(AGAIN_S)

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self._most) if self._most else ReadAllAvailable()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Up to where the next micro-batch reads. Where no broker answers that is where it is: the next one asks again,
        and the job doesn't end with every restart of a broker. Raises `OtherTopic`."""
        before = cast(Kept, start)
        try:
            topic_id, ends = self._offsets(LAST)
        except KafkaException as failed:
            if not is_passing(failed.args[0]):
                raise
            if not self._is_away:
                print(f"no broker answers for {self._topic} ({failed.args[0].name()}); asking again", file=sys.stderr)
            self._is_away = True
            return start
        self._is_away = False
        starts = begun(before, ends)
        if topic_id != before["topic_id"] or any(ends[partition] < starts[partition] for partition in ends):
            raise OtherTopic(
                f"{self._topic} is not the topic that the checkpoint is about, or was cut off: it was deleted and made "
                "anew. Start with another folder for the checkpoint"
            )
        self._latest = kept(topic_id, ends)
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        return cast(dict[str, Any], kept(topic_id, bounded(starts, ends, most)))

    def reportLatestOffset(self) -> dict[str, Any] | None:
        return cast("dict[str, Any] | None", self._latest)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [InputPartition(part) for part in parts(cast(Kept, start), cast(Kept, end))]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        part: Part = partition.value
        consumer = clients.consumer(self._brokers, self._config)
        try:
            found = values(consumer, self._topic, part, self._lost)
            for some in gathered(found, AT_ONCE, AT_ONCE_BYTES):
                yield pyarrow.RecordBatch.from_arrays([pyarrow.array(some, pyarrow.binary())], schema=_VALUES)
        finally:
            consumer.close()

    def _offsets(self, which: OffsetSpec) -> tuple[str, dict[int, int]]:
        """The topic's own id, and an offset of each of its partitions; what isn't committed there is not there yet."""
        if self._admin is None:
            self._admin = clients.admin(self._brokers, self._config)
        described = self._admin.describe_topics(TopicCollection([self._topic]), request_timeout=self._ask_s)
        topic = described[self._topic].result()
        wanted = {TopicPartition(self._topic, one.id): which for one in topic.partitions}
        committed = IsolationLevel.READ_COMMITTED
        answers = self._admin.list_offsets(wanted, isolation_level=committed, request_timeout=self._ask_s)
        return str(topic.topic_id), {one.partition: answer.result().offset for one, answer in answers.items()}
