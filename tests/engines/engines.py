"""Every engine that judges, asked the same way: here are facts, what is said of each operation, and what bears it out?

A further engine is one more function in `ENGINES`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from counterfoil.archives.reading import opened
from counterfoil.archives.writing import archived
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.taking_in import take_in
from counterfoil.book import Book
from counterfoil.book.durable import DurableBook
from counterfoil.book.telling import Telling
from counterfoil.config import Config
from counterfoil.facts import Fact, Gap
from counterfoil.judge import Judgement
from counterfoil.ledger import open_ledger
from counterfoil.records import canonical, record_of
from counterfoil.serving.outgoing import Outgoing
from counterfoil.serving.worker import RESOURCE, Worker
from tests.cases.case import Lines
from tests.judge.sending import of_facts, post
from tests.ledger.postgres import Server

Facts = Sequence[Fact | Gap]


@dataclass(frozen=True)
class Answer:
    """What was said of one operation. ``witnesses`` as canonical records, by the word that they bear out."""

    verdict: str
    outcome: str
    findings: tuple[str, ...]
    reason: str | None
    witnesses: Mapping[str, frozenset[str]]


Answers = dict[str, Answer]


def answers(judged: Iterable[Judgement]) -> Answers:
    """By operation; of one that was told more than once, the last counts."""
    return {
        one.operation.operation_id: Answer(
            str(one.verdict),
            str(one.outcome),
            tuple(map(str, one.findings)),
            None if one.reason is None else str(one.reason),
            {str(word): frozenset(map(canonical, facts)) for word, facts in one.borne_out.items()},
        )
        for one in judged
    }


def _judged(tellings: Iterable[Telling]) -> Iterable[Judgement]:
    return (telling.judgement for telling in tellings)


def in_a_process(facts: Facts, request: pytest.FixtureRequest) -> Answers:
    book = Book(Config(), lambda: 0)
    book.add(facts)
    return answers(_judged(book.settle()))


def in_an_audit(facts: Facts, request: pytest.FixtureRequest) -> Answers:
    lines = b"\n".join(json.dumps(record_of(fact)).encode() for fact in facts)
    return answers(judgements(take_in([Lines("lines", 0, lines)])))


def _in_a_ledger(url: str, facts: Facts) -> Answers:
    told: list[Telling] = []
    faults: list[Exception] = []
    ledger = open_ledger(url, patience_s=20)
    book = DurableBook(Config(), ledger, told.extend, faults.append)
    book.add(facts)
    book.settle()
    ledger.close()
    assert not faults
    return answers(_judged(told))


def in_sqlite(facts: Facts, request: pytest.FixtureRequest) -> Answers:
    folder: Path = request.getfixturevalue("tmp_path")
    return _in_a_ledger(f"sqlite:///{folder}/ledger.db", facts)


def in_postgres(facts: Facts, request: pytest.FixtureRequest) -> Answers:
    server: Server = request.getfixturevalue("postgres")
    return _in_a_ledger(server.fresh(), facts)


def in_several_databases(facts: Facts, request: pytest.FixtureRequest) -> Answers:
    server: Server = request.getfixturevalue("postgres")
    return _in_a_ledger(" ".join(server.fresh() for _ in range(3)), facts)


def in_an_archive(facts: Facts, request: pytest.FixtureRequest) -> Answers:
    folder: Path = request.getfixturevalue("tmp_path")
    lines = b"\n".join(json.dumps(record_of(fact)).encode() for fact in facts)
    path, _ = archived([Lines("lines", 0, lines)], folder, Config())
    assert path is not None
    with opened([path]) as archives:
        return answers(archives.judgements())


def at_a_judge(facts: Facts, request: pytest.FixtureRequest) -> Answers:
    """Over OTLP/HTTP, one request for each half, so that what is known is known in parts."""
    told: list[Telling] = []
    outgoing = Outgoing(RESOURCE, InMemorySpanExporter(), InMemoryLogRecordExporter())
    worker = Worker(Config(), open_ledger("memory:"), outgoing, watch=told.extend)
    worker.start()
    try:
        assert worker.http is not None
        for part in (facts[::2], facts[1::2]):
            assert post(f"http://127.0.0.1:{worker.http.port}", of_facts(part)).content == b""
        worker.book.settle()
    finally:
        worker.stop()
    return answers(_judged(told))


Engine = Callable[[Facts, pytest.FixtureRequest], Answers]

ENGINES: Mapping[str, Engine] = {
    "process": in_a_process,
    "audit": in_an_audit,
    "sqlite": in_sqlite,
    "postgres": in_postgres,
    "several databases": in_several_databases,
    "archive": in_an_archive,
    "judge": at_a_judge,
}
