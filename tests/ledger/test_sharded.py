"""One ledger in several databases: what is shared across them is seen, one that is away holds up only its own, and
their number stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import psycopg
import pytest

from counterfoil.facts import Gap
from counterfoil.ledger import AddressError, Kind, LedgerFault, open_ledger
from counterfoil.ledger.judging import Telling, judge_due
from counterfoil.ledger.links import links_of
from counterfoil.ledger.postgres import PostgresLedger
from counterfoil.ledger.relay import Relay
from counterfoil.ledger.shard import Links, Shard
from counterfoil.ledger.shard_place import Place, shard_of
from counterfoil.ledger.sharded import RETRY_S, ShardedLedger
from counterfoil.ledger.sqlite import SqliteLedger
from counterfoil.testing import story
from tests.ledger.postgres import HASTY, Server, running
from tests.ledger.worlds import AT_ONCE, LATE, judge_to_the_end


def of_shard(number: int, shards: int = 2) -> Iterator[str]:
    """Operations of one database, one after the other."""
    return (name for n in count() if shard_of(name := f"op-{n}", shards) == number)


@pytest.fixture
def urls(postgres: Server) -> list[str]:
    return [postgres.database() for _ in range(3)]


@pytest.fixture
def other(postgres: Server) -> Iterator[Server]:
    """A second server, to stop and start. Asking for the shared one says what is left out where there is none."""
    with running(*HASTY) as server:
        yield server


def words(ledger: object) -> dict[str, str]:
    """The last verdict that was told of each operation."""
    told: dict[str, str] = {}
    judge_to_the_end(ledger, lambda telling: told.update({telling.told.operation_id: str(telling.told.said.verdict)}))
    return told


def test_where_an_operation_is_never_changes() -> None:
    assert [shard_of(f"op-{n}", 4) for n in range(8)] == [2, 2, 0, 3, 0, 3, 1, 0]


def test_operations_are_spread_and_links_are_in_the_first(urls: list[str]) -> None:
    ledger = open_ledger(" ".join(urls), patience_s=20)
    for n in range(60):
        ledger.add(story(f"intent pay op=op-{n} key=k{n}; attempt success op=op-{n}"), due=0)
    counts = []
    for url in urls:
        with psycopg.connect(url) as db:
            of_each = [
                db.execute(f"SELECT count(*) FROM counterfoil_{table}").fetchone() for table in ("facts", "links")
            ]
            counts.append(tuple(row[0] for row in of_each if row))
    assert sum(facts for facts, _ in counts) == 120
    assert all(facts > 20 for facts, _ in counts)
    assert [links for _, links in counts] == [60, 0, 0]
    ledger.close()


def test_a_key_of_two_operations_in_two_databases_is_noticed(urls: list[str]) -> None:
    """The first is judged before the second comes, and again because of it."""
    ledger = open_ledger(" ".join(urls), patience_s=20)
    one, two = next(of_shard(1, 3)), next(of_shard(2, 3))
    ledger.add(story(f"intent pay op={one} key=k payload=A; attempt success op={one} key=k payload=A"), due=0)
    assert "idempotency_conflict" not in words(ledger)[one]
    ledger.add(story(f"intent pay op={two} key=k payload=B; attempt success op={two} key=k payload=B"), due=0)
    again = words(ledger)
    assert set(again) == {one, two}
    assert len(set(again.values())) == 1, again
    ledger.close()


def test_a_gap_counts_once_and_is_heard_in_every_database(urls: list[str]) -> None:
    ledger = open_ledger(" ".join(urls), patience_s=20)
    names = [next(of_shard(number, 3)) for number in range(3)]
    for name in names:
        ledger.add(story(f"intent pay op={name}; attempt timeout op={name}"), due=0)
    words(ledger)
    gap = Gap(what="spans_dropped", observed_at=5)
    assert ledger.add([gap], due=0) == 1
    assert ledger.gaps() == {gap}
    with ledger.claim(LATE, 10) as claim:
        assert set(claim.operations) == set(names)
    ledger.close()


def test_what_is_forgotten_leaves_no_link_behind(urls: list[str]) -> None:
    ledger = open_ledger(" ".join(urls), patience_s=20)
    name = next(of_shard(1, 3))
    facts = story(f"intent pay op={name} key=k; attempt success op={name}; receipt r op={name}")
    ledger.add(facts, due=0)
    words(ledger)
    links = {link for fact in facts for link in links_of(fact)}
    assert ledger.sharing(links)
    assert ledger.forget([name], LATE + 1) == 1
    assert ledger.sharing(links) == {}
    ledger.close()


def test_another_number_or_order_of_databases_is_refused_in_plain_words(urls: list[str]) -> None:
    ledger = open_ledger(" ".join(urls), patience_s=20)
    ledger.add(story("intent pay; gap spans_dropped"), due=0)
    ledger.close()
    for others, said in (
        (urls[:2], "it was begun as database 1 of 3, not as database 1 of 2"),
        (urls[:1], "it was begun as database 1 of 3, not as the only database"),
        ([urls[1], urls[0], urls[2]], "it was begun as database 2 of 3, not as database 1 of 3"),
    ):
        ledger = open_ledger(" ".join(others), patience_s=20)
        with pytest.raises(LedgerFault, match=said) as refused:
            ledger.gaps()
        assert refused.value.kind is Kind.OTHER_SHARDS
        assert "name the databases that it was begun with" in str(refused.value)
        ledger.close()


def test_a_ledger_that_was_begun_alone_stays_alone(urls: list[str]) -> None:
    alone = open_ledger(urls[0], patience_s=20)
    alone.add(story("intent pay"), due=0)
    alone.close()
    ledger = open_ledger(" ".join(urls), patience_s=20)
    with pytest.raises(LedgerFault, match="begun as the only database, not as database 1 of 3"):
        ledger.gaps()
    ledger.close()


@pytest.mark.parametrize("url", ["postgresql://a/x sqlite:///y", "postgresql://a/x postgresql://a/x"])
def test_addresses_that_make_no_ledger_together_are_refused(url: str) -> None:
    with pytest.raises(AddressError, match="several addresses must all be"):
        open_ledger(url)


def test_one_database_away_holds_up_its_operations_and_those_that_share_with_them(
    postgres: Server, other: Server, tmp_path: Path
) -> None:
    urls, now = [postgres.database(), other.database()], [0.0]
    first = PostgresLedger(urls[0], patience_s=20, place=Place(0, 2))
    links = Links(urls[0], patience_s=20, shards=2)
    bare = [first, Shard(urls[1], links, first, patience_s=20, place=Place(1, 2))]
    spools = [SqliteLedger(str(tmp_path / f"{number}.db")) for number in range(2)]
    relays = [Relay(shard, spool, clock=lambda: now[0]) for shard, spool in zip(bare, spools, strict=True)]
    ledger = ShardedLedger(bare, relays, clock=lambda: now[0])

    free, sharing = (name for name, _ in zip(of_shard(0), range(2), strict=False))
    away = next(of_shard(1))
    ledger.add(story(f"intent pay op={away} key=k payload=A; attempt success op={away} key=k payload=A"), due=0)
    words(ledger)

    other.stop()
    told: list[str] = []

    def tell(telling: Telling) -> None:
        told.append(telling.told.operation_id)

    ledger.add(story(f"receipt r op={away}"), due=0)  # waits on this host
    ledger.add(story(f"intent pay op={free}; attempt success op={free}"), due=0)
    ledger.add(story(f"intent pay op={sharing} key=k payload=B; attempt success op={sharing} key=k payload=B"), due=0)
    for _ in range(4):
        with suppress(LedgerFault):  # that it is away may be noticed only by asking it
            judge_due(ledger, tell, now=LATE, timing=lambda tool: AT_ONCE)
    assert told == [free]

    other.start()
    now[0] += 2 * RETRY_S
    ledger.add(story(f"receipt s op={away} at=90"), due=0)  # takes along what waits
    later = LATE + int(RETRY_S) * 1_000_000_000
    for _ in range(8):  # every connection that broke is noticed by using it, once
        with suppress(LedgerFault):
            judge_to_the_end(ledger, tell, now=later)
        now[0] += 2 * RETRY_S
    assert {sharing, away} <= set(told[1:])
    assert len(ledger.facts([away]).operations[away]) == 4
    ledger.close()
