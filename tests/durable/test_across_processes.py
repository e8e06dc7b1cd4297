"""An operation outlives the process that began it: what one process meant, another one judges and a person settles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.sink import Sink, sink

AGENT = Path(__file__).parent / "agent.py"


@pytest.fixture(scope="module")
def receiver() -> Iterator[Sink]:
    with sink() as running:
        yield running


@pytest.fixture
def shared(tmp_path: Path) -> dict[str, str]:
    """The environment of every process that shares one ledger."""
    return os.environ | {"COUNTERFOIL_LEDGER": f"sqlite:///{tmp_path}/ledger.db", "COUNTERFOIL_SETTLE_AFTER": "0.2"}


def agent(shared: dict[str, str], *words: str) -> int:
    return subprocess.run([sys.executable, AGENT, *words], env=shared, timeout=60, check=False).returncode


def counterfoil(shared: dict[str, str], *words: str, code: int = 0) -> str:
    command = [sys.executable, "-m", "counterfoil", *words]
    done = subprocess.run(command, env=shared, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def shown(shared: dict[str, str], operation: str) -> dict[str, object]:
    return json.loads(counterfoil(shared, "show", operation, "--json"))["operations"][operation]


def verdicts(receiver: Sink, operation: str) -> list[tuple[str, int]]:
    """What arrived of one operation: verdict and revision, by revision."""
    found = []
    for record in receiver.records():
        words = {one.key: one.value for one in record.attributes}
        if record.event_name == "counterfoil.verdict" and words["counterfoil.operation.id"].string_value == operation:
            found.append((words["counterfoil.verdict"].string_value, words["counterfoil.revision"].int_value))
    return sorted(found, key=lambda one: one[1])


def test_killed_after_the_provider_committed_it_is_in_doubt_and_not_forgotten(shared: dict[str, str]):
    assert agent(shared, "order-1", "k1", "killed") == -9

    judged = shown(shared, "order-1")

    assert judged["verdict"] == "indeterminate"
    assert judged["reason"] == "ambiguous"
    assert judged["attempts"] == 1
    assert "order-1" in counterfoil(shared, "list", "--open", "--verdict", "indeterminate")


def test_resumed_elsewhere_with_the_same_key_it_is_one_operation(shared: dict[str, str]):
    agent(shared, "order-2", "k2", "killed")
    assert agent(shared, "order-2", "k2", "receipt") == 0

    judged = shown(shared, "order-2")

    assert (judged["verdict"], judged["findings"], judged["attempts"]) == ("verified_applied", [], 2)


def test_resumed_elsewhere_with_a_new_key_it_is_an_unsafe_retry(shared: dict[str, str]):
    agent(shared, "order-3", "k3", "killed")
    agent(shared, "order-3", "k3-again", "no receipt")

    assert shown(shared, "order-3")["verdict"] == "unsafe_retry"


def test_what_nobody_can_look_up_a_person_settles_and_it_is_told_once(shared: dict[str, str], receiver: Sink):
    agent(shared, "order-4", "k4", "killed")
    worker = shared | {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "COUNTERFOIL_DEADLINE": "0.2"}
    counterfoil(worker, "reconcile", "--once")
    assert verdicts(receiver, "order-4") == [("indeterminate", 1)]

    said = counterfoil(shared, "resolve", "order-4", "not-applied", "--by", "on call", "--why", "their page shows none")
    assert said.startswith("indeterminate -> verified_not_applied")
    counterfoil(worker, "reconcile", "--once")
    counterfoil(worker, "reconcile", "--once")

    assert verdicts(receiver, "order-4") == [("indeterminate", 1), ("verified_not_applied", 2)]
    assert "order-4" not in counterfoil(shared, "list", "--open")
    assert "on call: their page shows none" in counterfoil(shared, "show", "order-4")


def test_a_verdict_that_nobody_heard_is_not_taken_for_told(shared: dict[str, str], receiver: Sink):
    agent(shared, "order-7", "k7", "killed")
    worker = shared | {"COUNTERFOIL_DEADLINE": "0.2", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    nobody = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}

    said = counterfoil(worker | nobody, "reconcile", "--once", code=1)
    assert "0 verdicts told" in said
    said = counterfoil(worker | {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}, "reconcile", "--once")

    assert "1 verdict told" in said
    [(verdict, _)] = verdicts(receiver, "order-7")
    assert verdict == "indeterminate"


def test_a_verdict_arrives_at_once_from_a_process_that_only_lives_for_one_call(shared: dict[str, str]):
    assert agent(shared, "order-5", "k5", "receipt") == 0

    assert shown(shared, "order-5")["verdict"] == "verified_applied"
    assert "order-5" not in counterfoil(shared, "list", "--open")


def test_the_ways_to_misuse_it_are_told_in_plain_words(shared: dict[str, str], tmp_path: Path):
    agent(shared, "order-6", "k6", "receipt")

    counterfoil(shared, "show", "no-such-operation", code=1)
    counterfoil(shared, "resolve", "no-such-operation", "applied", "--by", "a", "--why", "b", code=1)
    counterfoil(shared, "resolve", "order-6", "applied", "--by", " ", "--why", "b", code=2)
    counterfoil(shared, "list", "--verdict", "nonsense", code=2)
    counterfoil(shared, "list", "--ledger", f"sqlite:///{tmp_path}/elsewhere.db", code=2)
    assert not (tmp_path / "elsewhere.db").exists()
    (tmp_path / "broken.db").write_bytes(b"this is no database, and longer than a header of one" * 40)
    counterfoil(shared, "list", "--ledger", f"sqlite:///{tmp_path}/broken.db", code=3)
