"""There is one set of rules: every case of `tests/cases` says the same in every engine, with the same witnesses."""

from __future__ import annotations

import json

import pytest

from counterfoil.evidence import fold
from counterfoil.facts import Fact
from counterfoil.judge import judge_all
from counterfoil.reading.evidence import fact_from
from tests.cases.case import CASES, Case
from tests.engines.engines import ENGINES, Facts, answers
from tests.ledger.postgres import postgres

__all__ = ["postgres"]


def facts_of(case: Case) -> Facts:
    records = [json.loads(line) for line in case.lines]
    return [fact_from(record) for record in records if record["kind"] != "history"]


WITH_OPERATIONS = [case for case in CASES if any(isinstance(fact, Fact) for fact in facts_of(case))]


def test_most_cases_tell_of_operations() -> None:
    assert len(WITH_OPERATIONS) > 40


@pytest.mark.parametrize("case", WITH_OPERATIONS, ids=lambda case: case.name)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_engine_says_what_the_rules_say(engine: str, case: Case, request: pytest.FixtureRequest) -> None:
    facts = facts_of(case)
    assert ENGINES[engine](facts, request) == answers(judge_all(fold(facts)).values())
