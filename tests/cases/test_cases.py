"""Every case says the same in every order, repeated, and in parts that are merged."""

import json
import random
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from counterfoil.cli.frame import app
from counterfoil.evidence import Folded, fold, merge
from counterfoil.judge import judge_all
from counterfoil.reading.evidence import fact_from
from tests.cases.case import CASES, Case, Said, audited, complaints

SHUFFLES = 20
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_there_are_cases() -> None:
    assert len(CASES) == 68


@every_case
def test_in_the_order_of_the_file(case: Case) -> None:
    assert complaints(case.expected, audited(case.lines)) == []


@every_case
def test_backwards(case: Case) -> None:
    assert complaints(case.expected, audited(reversed(case.lines))) == []


@every_case
def test_shuffled(case: Case) -> None:
    for seed in range(SHUFFLES):
        lines = case.lines
        random.Random(seed).shuffle(lines)
        assert complaints(case.expected, audited(lines)) == [], f"seed {seed}"


@every_case
def test_with_every_line_doubled(case: Case) -> None:
    assert complaints(case.expected, audited([line for line in case.lines for _ in range(2)])) == []


@every_case
def test_after_some_of_its_lines(case: Case) -> None:
    for name, wanted in case.expected.items():
        for prefix in wanted.get("as_of", ()):
            said = audited(case.lines[: prefix["after_lines"]])
            assert said[name].verdict == prefix["verdict"], prefix


@every_case
def test_split_in_two_ledgers_that_are_merged(case: Case) -> None:
    """Message lists are judged by what the merged ledger knows, so only operations are looked at here."""
    expected = {name: wanted for name, wanted in case.expected.items() if "findings" not in wanted}
    for seed in range(SHUFFLES):
        chance = random.Random(seed)
        parts: tuple[list[bytes], list[bytes]] = ([], [])
        for line in case.lines:
            parts[chance.randrange(2)].append(line)
        merged = merge(ledger(parts[0]), ledger(parts[1]))
        said = {
            name: Said(
                judged.verdict,
                frozenset({judged.verdict, judged.outcome, *judged.findings}),
                tuple(judged.findings),
            )
            for name, judged in judge_all(merged).items()
        }
        assert complaints(expected, said) == [], f"seed {seed}"


def ledger(lines: list[bytes]) -> Folded:
    records = [json.loads(line) for line in lines]
    return fold(fact_from(record) for record in records if record["kind"] != "history")


@every_case
def test_from_the_command_line(case: Case) -> None:
    ran = CliRunner().invoke(app, ["audit", str(case.path), "--json"])
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert complaints(case.expected, from_json(ran.stdout)) == []


@pytest.mark.parametrize("name", [CASES[0].name, "33_key_leaks_to_next_operation", "97_healthy_history_full_receipts"])
def test_from_a_process_of_its_own(name: str) -> None:
    case = Case(name)
    ran = subprocess.run(
        [sys.executable, "-m", "counterfoil", "audit", "-", "--json"],
        input=case.path.read_bytes(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert complaints(case.expected, from_json(ran.stdout.decode())) == []


def from_json(text: str) -> dict[str, Said]:
    audit = json.loads(text)
    told = audit["operations"] | audit["histories"]
    return {
        name: Said(
            one["verdict"],
            frozenset({one["verdict"], one.get("outcome", one["verdict"]), *one["findings"]}),
            tuple(one["findings"]),
        )
        for name, one in told.items()
    }
