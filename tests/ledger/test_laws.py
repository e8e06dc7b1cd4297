"""Whatever the order, the repetition and the partition, a ledger holds what the core folds and says what it says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil.across import around
from counterfoil.evidence import fold
from counterfoil.explain import as_record
from counterfoil.facts import Fact, Gap
from counterfoil.judge import judge, judge_all
from counterfoil.ledger import open_ledger
from counterfoil.ledger.links import links_of
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.ledger.packing import FACT_BYTES, rows_of
from counterfoil.ledger.protocol import Ledger
from counterfoil.ledger.related import neighbourhood
from counterfoil.operations import operation_from
from counterfoil.records import fact_id
from tests.ledger.worlds import LATE, OPERATIONS, as_kept, crowds, judge_to_the_end, said
from tests.strategies import telemetry

few = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
many = settings(few, max_examples=300)

shuffles = st.randoms(use_true_random=False)


class Worlds:
    """Three ways into one ledger, as three processes would have them, and again into another; memory has one."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._number = count()
        self._handles: list[Ledger] = []

    def new(self) -> list[Ledger]:
        if self._url.startswith("postgresql") and self._handles:
            for url in self._url.split():
                with psycopg.connect(url) as db:
                    db.execute(
                        f"TRUNCATE counterfoil_{', counterfoil_'.join(('facts', 'links', 'gaps', 'due', 'told'))}"
                    )
            return self._handles
        self.close()
        url = f"{self._url}{next(self._number)}" if self._url.startswith("sqlite") else self._url
        self._handles = [open_ledger(url, patience_s=20) for _ in range(1 if url == "memory:" else 3)]
        return self._handles

    def close(self) -> None:
        for one in self._handles:
            one.close()


@pytest.fixture
def worlds(url: str) -> Iterator[Worlds]:
    made = Worlds(url)
    yield made
    made.close()


def arrivals(facts: list[Fact | Gap], chance: random.Random) -> list[list[Fact | Gap]]:
    """The facts in any order, some of them twice, in parcels."""
    resent = [*facts, *(fact for fact in facts if chance.random() < 0.5)]
    chance.shuffle(resent)
    parcels: list[list[Fact | Gap]] = [[]]
    for fact in resent:
        if chance.random() < 0.4:
            parcels.append([])
        parcels[-1].append(fact)
    return parcels


@few
@given(telemetry, shuffles)
def test_a_ledger_holds_what_the_core_folds(worlds: Worlds, facts: list[Fact | Gap], chance: random.Random) -> None:
    known = [as_kept(fact) for fact in facts]
    handles = worlds.new()
    for parcel in arrivals(known, chance):
        chance.choice(handles).add(parcel, due=LATE)
    for one in handles:
        assert replace(one.facts(OPERATIONS), gaps=one.gaps()) == fold(known)


@few
@given(crowds, shuffles)
def test_what_is_told_in_the_end_is_what_one_process_would_say(
    worlds: Worlds, facts: list[Fact | Gap], chance: random.Random
) -> None:
    """Judged after any parcel, a few at a time: what a neighbour learns, and a gap, still reach whom they concern."""
    known = [as_kept(fact) for fact in facts]
    handles = worlds.new()
    for parcel in arrivals(known, chance):
        one = chance.choice(handles)
        one.add(parcel, due=LATE)
        if chance.random() < 0.6:
            judge_to_the_end(one, limit=chance.choice((1, 2, 200)))
    judge_to_the_end(chance.choice(handles))
    told = handles[0].told(OPERATIONS)
    assert {name: last.said for name, last in told.items()} == said(fold(known))
    assert all(last.delivered for last in told.values())


@many
@given(crowds)
def test_judging_from_the_neighbourhood_is_judging_from_everything(facts: list[Fact | Gap]) -> None:
    ledger = MemoryLedger()
    ledger.add([as_kept(fact) for fact in facts], due=LATE)
    whole = judge_all(fold(as_kept(fact) for fact in facts))
    for name in whole:
        near = neighbourhood(ledger, [name]).folded
        known = {one: operation_from(one, there) for one, there in near.operations.items()}
        assert as_record(judge(known[name], around(known.values(), near.gaps))) == as_record(whole[name])


@few
@given(crowds, crowds)
def test_whoever_a_fact_may_concern_is_known_to_be_affected(before: list[Fact | Gap], news: list[Fact | Gap]) -> None:
    """Whose verdict a fact about one operation changes is that operation, or is affected by its news."""
    ledger = MemoryLedger()
    old = [as_kept(fact) for fact in before]
    ledger.add(old, due=LATE)
    for fact in (as_kept(fact) for fact in news if not isinstance(fact, Gap)):
        earlier = said(fold(old))
        old.append(fact)
        ledger.add([fact], due=LATE)
        later = said(fold(old))
        changed = {name for name in later if earlier.get(name) != later[name]}
        assert changed - {fact.operation_id} <= neighbourhood(ledger, [fact.operation_id], [fact.operation_id]).affected


@many
@given(telemetry)
def test_a_row_is_named_as_the_core_names_the_fact(facts: list[Fact | Gap]) -> None:
    for fact in facts:
        rows = rows_of([fact])
        (row,) = rows.facts + rows.gaps
        assert row.fact.hex() == fact_id(fact)[: 2 * FACT_BYTES]


@many
@given(crowds)
def test_operations_that_share_something_have_a_link_in_common(facts: list[Fact | Gap]) -> None:
    """Seen from the law above: without these links its neighbourhoods would be too small."""
    folded = fold(as_kept(fact) for fact in facts)
    links = {name: {link for fact in known for link in links_of(fact)} for name, known in folded.operations.items()}
    intents = {
        name: {fact.intent_ref for fact in operation_from(name, known).intents} - {None}
        for name, known in folded.operations.items()
    }
    for one in folded.operations:
        for other in folded.operations:
            assert not intents[one] & intents[other] or links[one] & links[other]
