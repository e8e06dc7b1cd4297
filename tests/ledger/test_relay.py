"""A server that goes away and comes back: facts wait on this host, and follow."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from counterfoil.evidence import fold
from counterfoil.facts import Fact, Gap
from counterfoil.ledger import AddressError, Kind, LedgerFault, open_ledger
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.ledger.postgres import PostgresLedger
from counterfoil.ledger.relay import Relay
from counterfoil.ledger.sqlite import SqliteLedger
from counterfoil.testing import story
from tests.ledger.postgres import HASTY, Server, running
from tests.ledger.worlds import judge_to_the_end, said

BEFORE = story("intent pay op=a; attempt timeout op=a at=2; gap exporter_full at=3")
MEANWHILE = story("intent pay op=b; receipt pay_1 op=b; receipt pay_2 op=a; gap spans_dropped at=9")
AFTER = story("receipt pay_3 op=a at=50; attempt success op=b at=51")
ALL: list[Fact | Gap] = [*BEFORE, *MEANWHILE, *AFTER]


@pytest.fixture(scope="module")
def own(postgres: Server) -> Iterator[Server]:
    """A server to stop and start. Asking for the shared one first says what is left out where there is none."""
    with running(*HASTY) as mine:
        yield mine


@pytest.fixture
def server(own: Server) -> Iterator[Server]:
    yield own
    own.stop()
    own.start()


class Host:
    """A host with a spool and a clock that a test sets."""

    def __init__(self, url: str, spool: Path) -> None:
        self.at = 0.0
        self.shared = PostgresLedger(url, patience_s=5)
        self.spool = SqliteLedger(str(spool))
        self.ledger = Relay(self.shared, self.spool, retry_after_s=5, clock=lambda: self.at)

    @property
    def waiting(self) -> int:
        folded = self.spool.facts(self.spool.operations())
        return sum(map(len, folded.operations.values())) + len(self.spool.gaps())


def everything(ledger: PostgresLedger) -> object:
    known = ledger.facts(ledger.operations())
    return known.operations, ledger.gaps()


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGINT], ids=["crashed", "stopped"])
def test_facts_wait_for_the_server_and_follow(server: Server, tmp_path: Path, how: signal.Signals) -> None:
    host = Host(server.fresh(), tmp_path / "spool.db")
    assert host.ledger.add(BEFORE, due=0) == len(BEFORE)
    server.stop(how)
    host.ledger.add(MEANWHILE, due=0)
    assert host.waiting == len(MEANWHILE)
    server.start()
    host.ledger.add(AFTER[:1], due=0)
    assert host.waiting == len(MEANWHILE) + 1  # it isn't time to look again
    host.at = 5
    host.ledger.add(AFTER[1:], due=0)
    assert host.waiting == 0
    folded = fold(ALL)
    assert everything(host.shared) == (folded.operations, folded.gaps)
    judge_to_the_end(host.ledger)
    assert {name: told.said for name, told in host.ledger.told(["a", "b"]).items()} == said(folded)


def test_what_an_earlier_process_left_follows_too(server: Server, tmp_path: Path) -> None:
    url = server.fresh()
    server.stop()
    Host(url, tmp_path / "spool.db").ledger.add(BEFORE, due=0)
    server.start()
    host = Host(url, tmp_path / "spool.db")
    host.ledger.add([], due=0)
    assert host.waiting == 0
    assert everything(host.shared) == (fold(BEFORE).operations, fold(BEFORE).gaps)


def test_what_waits_is_read_with_what_has_arrived(server: Server, tmp_path: Path) -> None:
    url = server.fresh()
    Host(url, tmp_path / "other.db").ledger.add(BEFORE, due=0)
    server.stop()
    host = Host(url, tmp_path / "spool.db")
    host.ledger.add(MEANWHILE, due=0)
    with pytest.raises(LedgerFault) as gone:
        host.ledger.facts(["a"])
    assert gone.value.kind is Kind.UNREACHABLE
    server.start()
    both = fold([*BEFORE, *MEANWHILE])
    assert host.ledger.facts(["a", "b"]).operations == both.operations
    assert host.ledger.gaps() == both.gaps
    assert host.ledger.follow(0) == len(MEANWHILE)
    assert host.ledger.follow(0) == 0


def test_who_looks_for_what_is_due_takes_along_what_waits(server: Server, tmp_path: Path) -> None:
    """So that it follows though nothing more happens on this host."""
    url = server.fresh()
    server.stop()
    Host(url, tmp_path / "spool.db").ledger.add(BEFORE, due=0)
    server.start()
    host = Host(url, tmp_path / "spool.db")
    with host.ledger.claim(0, 10) as claim:
        assert list(claim.operations) == ["a"]
    assert host.waiting == 0


class Fickle(MemoryLedger):
    """Fails now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def add(self, facts, *, due):
        self.calls += 1
        if self.calls % 3 == 2:
            raise LedgerFault(Kind.UNREACHABLE, "", "no connection")
        return super().add(facts, due=due)


def test_nothing_is_dropped_until_it_has_arrived(tmp_path: Path) -> None:
    shared = Fickle()
    relay = Relay(shared, SqliteLedger(str(tmp_path / "spool.db")), retry_after_s=0)
    for fact in ALL:
        relay.add([fact], due=0)
    for _ in range(3):
        with suppress(LedgerFault):
            relay.follow(0)
    assert shared.facts(["a", "b"]).operations == fold(ALL).operations
    assert shared.gaps() == fold(ALL).gaps


def test_a_fact_that_no_ledger_can_keep_does_not_wait(tmp_path: Path) -> None:
    relay = Relay(MemoryLedger(), SqliteLedger(str(tmp_path / "spool.db")))
    (fact,) = story("intent pay")
    with pytest.raises(LedgerFault):
        relay.add([type(fact)(operation_id="", observed_at=0)], due=0)  # type: ignore[call-arg]
    assert relay.follow(0) == 0


def test_an_address_names_the_spool_and_the_driver_does_not_hear_of_it(postgres: Server, tmp_path: Path) -> None:
    spool = tmp_path / "a spool.db"
    ledger = open_ledger(f"{postgres.fresh()}&spool={quote(str(spool))}")
    assert isinstance(ledger, Relay)
    ledger.add(BEFORE, due=0)
    assert ledger.facts(["a"]).operations == fold(BEFORE).operations
    ledger.close()
    assert spool.exists()


@pytest.mark.parametrize("query", ["?spool=", "?spool=a&spool=b", "?connect_timeout=1&spool="])
def test_a_spool_without_a_path_is_refused(query: str) -> None:
    with pytest.raises(AddressError, match="the path of one file"):
        open_ledger(f"postgresql://nobody@127.0.0.1:1/none{query}")


def test_an_address_with_a_spool_is_a_relay(postgres: Server, tmp_path: Path) -> None:
    ledger = open_ledger(postgres.fresh(), spool=str(tmp_path / "spool.db"))
    assert isinstance(ledger, Relay)
    ledger.add(BEFORE, due=0)
    assert ledger.facts(["a"]).operations == fold(BEFORE).operations
    ledger.close()
