"""One Kafka broker that is its own controller (KRaft), on free ports of the loopback interface, in a folder of its own.

    with running(tmp_path) as broker:
        broker.topic("facts", partitions=4)
        Producer({"bootstrap.servers": broker.address})

It is killed at the end: what is in the folder is of use to nobody. `python -m tools.kafka` runs one to try things with.
"""

from __future__ import annotations

import base64
import secrets
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from tools.kafka.build import java, obtain
from tools.observe.service import free_ports

READY_WITHIN_S = 60.0
ATTEMPTS = 5
"""A free port can be taken between its choice and its use."""

JVM = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
"""Small and soon there, rather than fast."""

SETTINGS = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{broker},GUARDED://127.0.0.1:{guarded},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{broker},GUARDED://127.0.0.1:{guarded}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,GUARDED:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.guarded.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
  user_{user}="{password}";
log.dirs={data}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
"""


USER = "fleet"


class NotReady(RuntimeError):
    """The broker ended or stayed silent while it should have become ready. Carries the end of its log."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A running broker. ``address``: what clients take as `bootstrap.servers`. At ``guarded`` they need to be `USER`
    with the password, by SASL's PLAIN."""

    address: str
    guarded: str
    password: str
    process: subprocess.Popen[bytes]
    log: Path

    def admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.address, "log_level": 0})

    def topic(self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None) -> None:
        """Make a topic, and return when it can be used."""
        admin = self.admin()  # held until it has answered
        made = admin.create_topics([NewTopic(name, partitions, 1, config=dict(config or {}))])
        made[name].result(READY_WITHIN_S)


@contextmanager
def running(folder: Path) -> Iterator[Broker]:
    """Start a broker that keeps all it has below ``folder``, and kill it in the end. Raises `NotReady`."""
    folder.mkdir(parents=True, exist_ok=True)
    broker = _started(folder)
    try:
        yield broker
    finally:
        broker.process.kill()
        broker.process.wait()


def _started(folder: Path) -> Broker:
    jars = [java(), *JVM, "-cp", f"{obtain()}/*"]
    log = folder / "kafka.log"
    for attempt in range(ATTEMPTS):
        client, guarded, controller = free_ports(3)
        data, settings = folder / f"data-{attempt}", folder / "server.properties"
        password = secrets.token_hex(16)
        ports = {"broker": client, "guarded": guarded, "controller": controller}
        text = SETTINGS.format(**ports, data=data, user=USER, password=password)
        settings.write_text(text, encoding="utf-8")
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        with log.open("wb") as output:
            form = [*jars, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)]
            subprocess.run(form, stdout=output, stderr=output, stdin=subprocess.DEVNULL, check=True)
            process = subprocess.Popen(
                [*jars, "kafka.Kafka", str(settings)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        broker = Broker(f"127.0.0.1:{client}", f"127.0.0.1:{guarded}", password, process, log)
        try:
            if _answers(broker):
                return broker
        except BaseException:
            process.kill()
            raise
        process.kill()
        process.wait()
        if "address already in use" not in log.read_text(errors="replace").lower():
            break
    raise NotReady(f"Kafka did not become ready; the end of {log}:\n{log.read_text(errors='replace')[-3_000:]}")


def _answers(broker: Broker) -> bool:
    """Whether the broker says that it is there, as clients ask it, before it ends or the time is over."""
    until = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until and broker.process.poll() is None:
        try:
            if broker.admin().list_topics(timeout=2).brokers:
                return True
        except KafkaException:
            time.sleep(0.05)
    return False
