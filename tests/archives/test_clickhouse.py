"""The recipe for ClickHouse, run by ClickHouse's own engine: the SQL that ships, and an audit that reads its table.

Without a server: `tests/archives/bridge.py` says what is real here and what isn't.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from counterfoil.archives.clickhouse import NoAddress, table_at
from counterfoil.archives.reading import opened
from counterfoil.archives.writing import archived
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.taking_in import take_in
from counterfoil.config import Config
from counterfoil.evidence import fold
from counterfoil.facts import Fact, Gap
from counterfoil.judge import judge_all
from counterfoil.reading.evidence import fact_from
from counterfoil.records import canonical, fact_id, record_of
from tests.archives.folders import TESTS, counterfoil
from tests.cases.case import CASES, Case
from tests.engines.engines import answers
from tests.ledger.fleet import seen

SHIPPED = TESTS.parent / "collector-config" / "clickhouse" / "facts.sql"

# The columns of the exporter's table that the recipe needs, and some that it doesn't.
OTEL_LOGS = """
    CREATE TABLE otel_logs (
        Timestamp DateTime64(9), TraceId String, ServiceName LowCardinality(String), Body String,
        ResourceAttributes Map(LowCardinality(String), String), LogAttributes Map(LowCardinality(String), String),
        EventName String
    ) ENGINE = MergeTree PARTITION BY toDate(Timestamp)
    ORDER BY (toStartOfFiveMinutes(Timestamp), ServiceName, Timestamp)
"""


class ClickHouse:
    """The bridge, and databases in it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._made = 0

    def ask(self, words: str, database: str = "default") -> str:
        url = f"http://127.0.0.1:{self.port}/?database={quote(database)}"
        with urllib.request.urlopen(url, words.encode(), timeout=60) as answer:
            return answer.read().decode()

    def fresh(self) -> str:
        """A new database with the exporter's table, and the recipe applied to it as it is shipped."""
        self._made += 1
        name = f"otel_{self._made}"
        self.ask(f"CREATE DATABASE {name}")
        self.ask(OTEL_LOGS, name)
        for _ in range(2):  # it may be run again
            for statement in SHIPPED.read_text().split(";\n"):
                if any(line and not line.startswith("--") for line in statement.splitlines()):
                    self.ask(statement, name)
        return name

    def log(self, database: str, logged: list[dict[str, str]], event: str = "counterfoil.fact") -> None:
        rows = [{"EventName": event, "ServiceName": "shop", "LogAttributes": attributes} for attributes in logged]
        lines = "\n".join(json.dumps(row) for row in rows)
        self.ask(f"INSERT INTO otel_logs (EventName, ServiceName, LogAttributes) FORMAT JSONEachRow\n{lines}", database)

    def address(self, database: str) -> str:
        return f"clickhouse://default@127.0.0.1:{self.port}/{database}"


def event(fact: Fact | Gap, **more: str) -> dict[str, str]:
    """The attributes of a fact's event, as the exporter's map has them: all of them text."""
    return {
        **({} if isinstance(fact, Gap) else {"counterfoil.operation.id": fact.operation_id}),
        "counterfoil.fact.id": fact_id(fact),
        "counterfoil.fact.kind": str(record_of(fact)["kind"]),
        "counterfoil.fact.version": "1",
        "counterfoil.fact.record": canonical(fact),
        **more,
    }


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouse]:
    command = [sys.executable, "-m", "tests.archives.bridge", str(tmp_path_factory.mktemp("chdb"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=TESTS.parent) as bridge:
        assert bridge.stdout is not None
        yield ClickHouse(int(bridge.stdout.readline()))
        bridge.send_signal(signal.SIGKILL)


def facts_of(case: Case) -> list[Fact | Gap]:
    return [fact_from(record) for record in map(json.loads, case.lines) if record["kind"] != "history"]


def test_every_case_says_the_same_with_the_same_witnesses(clickhouse: ClickHouse) -> None:
    """In one database after the other, so that no case meets another's facts; every event is logged twice."""
    name = clickhouse.fresh()
    for case in CASES:
        facts = facts_of(case)
        if facts:
            clickhouse.ask("TRUNCATE TABLE counterfoil_facts", name)
            clickhouse.log(name, [event(fact) for fact in facts] * 2)
            table = table_at(clickhouse.address(name))
            assert answers(judgements(take_in([table]))) == answers(judge_all(fold(facts)).values()), case.name


def test_a_fleet_is_judged_one_operation_at_a_time(clickhouse: ClickHouse, tmp_path: Path) -> None:
    name, facts = clickhouse.fresh(), seen()
    clickhouse.log(name, [event(fact) for fact in facts])
    clickhouse.log(name, [event(fact) for fact in facts[::3]])
    assert int(clickhouse.ask("SELECT count() FROM counterfoil_facts FINAL", name)) == len(set(facts))

    (tmp_path / "lines.ndjson").write_text("\n".join(map(canonical, facts)))
    of_lines = counterfoil("audit", tmp_path, "--json")
    of_table = counterfoil("audit", clickhouse.address(name), "--json")
    assert of_table.returncode == 0, of_table.stderr.decode()
    assert of_table.stdout == of_lines.stdout

    path, _ = archived([table_at(clickhouse.address(name))], tmp_path / "archive", Config())
    assert path is not None
    with opened([path]) as archives:
        assert answers(archives.judgements()) == answers(judge_all(fold(facts)).values())


def test_other_logs_are_no_facts_and_a_sender_without_event_names_is_heard(clickhouse: ClickHouse) -> None:
    name, (one, other, *_) = clickhouse.fresh(), seen()
    clickhouse.log(name, [event(one)], event="something.else")
    clickhouse.log(name, [event(other, **{"event.name": "counterfoil.fact"})], event="")
    assert clickhouse.ask("SELECT record FROM counterfoil_facts FORMAT TSVRaw", name).splitlines() == [canonical(other)]


def test_a_newer_version_and_a_fact_without_its_record_leave_doubt(clickhouse: ClickHouse) -> None:
    name, facts = clickhouse.fresh(), facts_of(CASES[0])
    clickhouse.log(name, [event(facts[0], **{"counterfoil.fact.version": said}) for said in ("2", "new")])
    intake = take_in([table_at(clickhouse.address(name))])
    assert any("newer version" in note for note in intake.notes)
    assert set(intake.operations) == {facts[0].operation_id}

    name = clickhouse.fresh()
    without = {key: said for key, said in event(facts[0]).items() if key != "counterfoil.fact.record"}
    clickhouse.log(name, [without])
    intake = take_in([table_at(clickhouse.address(name))])
    assert (intake.skipped, set(intake.operations)) == (1, {facts[0].operation_id})


def test_a_server_that_is_not_there_is_told_without_its_password() -> None:
    ran = counterfoil("audit", "clickhouse://judge@127.0.0.1:1/otel", CLICKHOUSE_PASSWORD="hunter2")
    assert ran.returncode == 3
    assert b"ClickHouse does not answer" in ran.stderr
    assert b"hunter2" not in ran.stderr + ran.stdout


@pytest.mark.parametrize(
    "address",
    [
        "clickhouse://judge:secret@db/otel",
        "clickhouse:///otel",
        "clickhouse://db/otel?table=a;b",
        "clickhouse://db/otel?secure=maybe",
        "clickhouse://db:port/otel",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_in_words(address: str) -> None:
    with pytest.raises(NoAddress, match=r"CLICKHOUSE_PASSWORD|write clickhouse://") as refused:
        table_at(address)
    assert "secret" not in str(refused.value)


def test_an_address_says_where_and_how() -> None:
    table = table_at("clickhouse://judge@db.internal/otel?table=facts.kept&secure=true", "secret")
    assert (table.host, table.port, table.secure, table.user) == ("db.internal", 8443, True, "judge")
    assert (table.database, table.table) == ("otel", "facts.kept")
    assert "secret" not in repr(table)
