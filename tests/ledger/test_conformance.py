"""What every ledger does, whichever it is: one suite for memory, SQLite and PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress

import pytest

from counterfoil.evidence import Folded, fold
from counterfoil.facts import Attempt, Effect, Gap, Intent, Transport, Unreadable
from counterfoil.ledger import Kind, LedgerFault, Told, open_ledger
from counterfoil.ledger.links import INTENT, KEY, REFERENCE, links_of
from counterfoil.ledger.protocol import BATCH, Ledger
from counterfoil.ledger.told import Said
from counterfoil.testing import story
from counterfoil.verdicts import Finding, Outcome, Reason, Severity
from tests.ledger.worlds import SETTLED

NOW = 1_000
IN_DOUBT = Said(
    verdict=Finding.UNSAFE_RETRY,
    outcome=Outcome.INDETERMINATE,
    findings=(Finding.UNSAFE_RETRY,),
    reason=Reason.AMBIGUOUS,
    severity=Severity.TICKET,
    open=True,
)
CHARGED = story("intent charge key=k1 payload=A intent_ref=order-1; attempt timeout; receipt pay_1")


def told(ledger: Ledger, name: str, revision: int, said: Said = SETTLED, at: int = NOW) -> None:
    """Claim what is due, tell one operation, and leave in order."""
    with ledger.claim(NOW, 100) as claim:
        telling = Told(name, revision, said, at)
        assert claim.announce([telling]) == {name}
        claim.delivered([telling])


def due(ledger: Ledger, now: int = NOW, limit: int = 100) -> dict[str, bool]:
    """What is due, left due."""
    try:
        with ledger.claim(now, limit) as claim:
            raise InterruptedError(claim.operations)
    except InterruptedError as seen:
        return dict(seen.args[0])


# -------------------------------------------------------------------------- facts


def test_what_was_added_is_read_back(ledger: Ledger) -> None:
    assert ledger.add(CHARGED, due=NOW) == 3
    assert ledger.facts(["op-1"]) == fold(CHARGED)


def test_the_same_fact_twice_is_one_fact(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    assert ledger.add((*CHARGED, *CHARGED), due=NOW) == 0
    assert ledger.facts(["op-1"]) == fold(CHARGED)


def test_an_empty_ledger_has_nothing(ledger: Ledger) -> None:
    assert ledger.add([], due=NOW) == 0
    assert ledger.facts(["op-1"]) == Folded()
    assert ledger.facts([]) == Folded()
    assert ledger.gaps() == frozenset()
    assert ledger.sharing([]) == {}
    assert ledger.told(["op-1"]) == {}
    assert list(ledger.operations()) == list(ledger.settled(NOW)) == []
    assert due(ledger) == {}
    assert ledger.forget(["op-1"], NOW) == 0


def test_more_facts_than_go_in_one_transaction(ledger: Ledger) -> None:
    facts = [Intent(operation_id=f"op-{n % 7}", observed_at=n) for n in range(3 * BATCH + 1)]
    assert ledger.add(facts, due=NOW) == len(facts)
    assert ledger.facts([f"op-{n}" for n in range(7)]) == fold(facts)


def test_a_fact_of_every_kind_comes_back_as_it_was(ledger: Ledger) -> None:
    facts = [
        *story("intent pay key=k payload=A hint=true approved; attempt 202 reported=accepted; claim success by=model"),
        *story("webhook ev_1 about_ref=pay_1; probe 0 settle_after_s=2.5; unreadable time"),
        Attempt(operation_id="op-1", attempt_id="ä\n'", observed_at=2**61 + 1, idempotency_key=None, key_scope=None),
        Attempt(operation_id="op-1", attempt_id="#", observed_at=0, idempotency_key="#not a hash", payload_hash="!~"),
        Intent(operation_id="op-1", observed_at=0, payload_hash="hmac-sha256:" + "0f" * 32, key_ttl_s=1e-7),
        Intent(operation_id="op-1", observed_at=0, payload_hash="sha256:" + "0F" * 32, key_ttl_s=86_400),
        Effect(operation_id="op-1", observed_at=1, source="probe", count=2**53, effect_ref=None, authoritative=True),
        Unreadable(operation_id="op-1", observed_at=0, field="a field"),
    ]
    ledger.add(facts, due=NOW)
    kept = ledger.facts(["op-1"]).operations["op-1"]
    # On its way back from a file the reader fingerprints a raw key, and writes a hash in small letters; all else is as
    # it was.
    strange, capitals = facts[7], facts[9]
    small = Intent(operation_id="op-1", observed_at=0, payload_hash="sha256:" + "0f" * 32, key_ttl_s=86_400)
    assert len(kept & {capitals, small}) == 1
    assert kept - {strange} >= frozenset(facts) - {strange, capitals}
    assert len(kept) == len(facts)


@pytest.mark.parametrize("name", ["", "n" * 1_025, "with\x00nul", "lone \ud800 surrogate"])
def test_a_name_that_no_ledger_can_keep_is_refused_with_all_that_came_with_it(ledger: Ledger, name: str) -> None:
    with pytest.raises(LedgerFault) as refused:
        ledger.add([*CHARGED, Intent(operation_id=name, observed_at=0)], due=NOW)
    assert refused.value.kind is Kind.UNSTORABLE
    assert ledger.facts(["op-1", name]) == Folded()


def test_operations_are_listed_in_order_and_page_by_page(ledger: Ledger) -> None:
    names = sorted(["b", "a", "ä", "a b", "Z", "z" * 1_024, "😀", "%", "'"])
    ledger.add([Intent(operation_id=name, observed_at=0) for name in names], due=NOW)
    assert list(ledger.operations()) == names
    assert list(ledger.operations(after=names[2], limit=3)) == names[3:6]
    assert list(ledger.operations(open_only=True)) == names


# ------------------------------------------------------------------ what is shared


def test_operations_are_found_by_key_reference_and_intent(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    ledger.add(
        story("intent charge op=op-2 intent_ref=order-1; attempt success op=op-2 key=k1; receipt pay_1 op=op-2"),
        due=NOW,
    )
    ledger.add(story("intent charge op=op-3 intent_ref=order-3 key=k3; receipt pay_3 op=op-3"), due=NOW)
    links = {link for fact in CHARGED for link in links_of(fact)}
    assert {link[:1] for link in links} == {KEY, REFERENCE, INTENT}
    assert {link: list(names) for link, names in ledger.sharing(links).items()} == {
        link: ["op-1", "op-2"] for link in links
    }


# ---------------------------------------------------------------------------- due


def test_an_operation_that_learned_something_is_due_then_and_not_before(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    assert due(ledger, NOW - 1) == {}
    assert due(ledger, NOW) == {"op-1": True}


def test_what_was_claimed_and_settled_is_no_longer_due(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    told(ledger, "op-1", 1)
    assert due(ledger) == {}


def test_a_fact_that_is_known_already_makes_nothing_due(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    told(ledger, "op-1", 1)
    ledger.add(CHARGED, due=NOW)
    assert due(ledger) == {}


def test_the_longest_overdue_come_first(ledger: Ledger) -> None:
    for n in (3, 1, 2):
        ledger.add([Intent(operation_id=f"op-{n}", observed_at=0)], due=n)
    assert due(ledger, limit=2) == {"op-1": True, "op-2": True}


def test_a_claim_that_fails_gives_back_what_it_had(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    with suppress(ZeroDivisionError), ledger.claim(NOW, 10) as claim:
        claim.wake(["op-1"], NOW + 5)
        raise ZeroDivisionError
    assert due(ledger) == {"op-1": True}


def test_news_that_come_during_a_claim_are_due_after_it(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    with ledger.claim(NOW, 10) as claim:
        assert claim.operations == {"op-1": True}
        ledger.add(story("receipt pay_2 at=9"), due=NOW)
    assert due(ledger) == {"op-1": True}


def test_who_is_woken_is_due_then_without_news(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    with ledger.claim(NOW, 10) as claim:
        claim.wake(["op-1"], NOW + 5)
    assert due(ledger, NOW + 4) == {}
    assert due(ledger, NOW + 5) == {"op-1": False}


def test_a_claim_of_nothing_may_wake_somebody(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW + 9)
    with ledger.claim(NOW, 10) as claim:
        assert claim.operations == {}
        claim.wake(["op-1"], NOW)
    assert due(ledger) == {"op-1": True}


def test_news_bring_a_later_time_forward(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    with ledger.claim(NOW, 10) as claim:
        claim.wake(["op-1"], NOW + 500)
    ledger.add(story("receipt pay_2 at=9"), due=NOW + 5)
    assert due(ledger, NOW + 5) == {"op-1": True}


def test_two_claims_at_once_have_nothing_in_common(ledger: Ledger, url: str) -> None:
    ledger.add([Intent(operation_id=f"op-{n}", observed_at=0) for n in range(20)], due=NOW)
    other = ledger if url == "memory:" else open_ledger(url)
    with ledger.claim(NOW, 8) as mine, other.claim(NOW, 8) as theirs:
        assert len(mine.operations) == 8
        assert not mine.operations.keys() & theirs.operations.keys()
    assert len(due(ledger)) == 20 - len(mine.operations) - len(theirs.operations)
    other.close()


# --------------------------------------------------------------------------- told


def test_what_was_told_is_remembered(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    told(ledger, "op-1", 1, IN_DOUBT, at=7)
    assert ledger.told(["op-1", "op-2"]) == {"op-1": Told("op-1", 1, IN_DOUBT, 7, delivered=True)}


def test_the_larger_revision_wins_and_an_equal_one_is_refused(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    with ledger.claim(NOW, 10) as claim:
        assert claim.announce([Told("op-1", 2, SETTLED, NOW)]) == {"op-1"}
        assert claim.announce([Told("op-1", 2, IN_DOUBT, NOW)]) == frozenset()
        assert claim.announce([Told("op-1", 1, IN_DOUBT, NOW)]) == frozenset()
    assert ledger.told(["op-1"])["op-1"].said == SETTLED


def test_an_announcement_holds_although_the_claim_fails(ledger: Ledger) -> None:
    """Else a process that dies after telling would leave no trace of it, and the next would tell the same again."""
    ledger.add(CHARGED, due=NOW)
    with suppress(ZeroDivisionError), ledger.claim(NOW, 10) as claim:
        telling = Told("op-1", 1, SETTLED, NOW)
        claim.announce([telling])
        claim.delivered([telling])
        raise ZeroDivisionError
    assert ledger.told(["op-1"]) == {"op-1": Told("op-1", 1, SETTLED, NOW, delivered=False)}


def test_open_is_what_was_never_told_or_what_somebody_waits_for(ledger: Ledger) -> None:
    ledger.add([Intent(operation_id=name, observed_at=0) for name in ("doubt", "fine", "new")], due=NOW)
    with ledger.claim(NOW, 2) as claim:
        claim.announce([Told("doubt", 1, IN_DOUBT, NOW), Told("fine", 1, SETTLED, NOW)])
        claim.wake(["new"], NOW)
    assert list(ledger.operations(open_only=True)) == ["doubt", "new"]
    assert list(ledger.operations(open_only=True, after="doubt")) == ["new"]


# --------------------------------------------------------------------------- gaps


def test_a_gap_is_kept_once_and_makes_due_what_it_may_change(ledger: Ledger) -> None:
    ledger.add([Intent(operation_id=name, observed_at=0) for name in ("doubt", "fine", "new")], due=NOW)
    with ledger.claim(NOW, 3) as claim:
        tellings = [Told("doubt", 1, IN_DOUBT, NOW), Told("fine", 1, SETTLED, NOW)]
        claim.announce(tellings)
        claim.delivered(tellings)
        claim.wake(["new"], NOW + 9)
    gap = Gap(what="spans_dropped", observed_at=5, process="p1")
    assert ledger.add([gap], due=NOW) == 1
    assert due(ledger) == {"doubt": False, "new": False}
    assert ledger.add([gap], due=NOW) == 0
    assert ledger.gaps() == {gap}


def test_a_gap_that_comes_during_a_claim_slips_past_nobody(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    with ledger.claim(NOW, 10):
        ledger.add([Gap(what="spans_dropped", observed_at=5)], due=NOW)
    assert due(ledger).keys() == {"op-1"}


# ----------------------------------------------------------------------- forgetting


def test_only_what_is_settled_and_old_is_forgotten(ledger: Ledger) -> None:
    names = ("doubt", "due", "fine", "new", "recent", "unsaid")
    ledger.add([Intent(operation_id=name, observed_at=0, idempotency_key="k") for name in names], due=NOW)
    with ledger.claim(NOW, 10) as claim:
        tellings = [Told(name, 1, IN_DOUBT if name == "doubt" else SETTLED, NOW) for name in ("doubt", "due", "fine")]
        tellings.append(Told("recent", 1, SETTLED, NOW + 1))
        claim.announce([*tellings, Told("unsaid", 1, SETTLED, NOW)])
        claim.delivered(tellings)
        claim.wake(["due", "new"], NOW + 50)
    assert list(ledger.settled(NOW + 1)) == ["fine"]
    assert ledger.forget(names, NOW + 1) == 1
    kept = [name for name in names if name != "fine"]
    assert list(ledger.operations()) == kept
    assert ledger.facts(names).operations.keys() == set(kept)
    assert ledger.told(["fine"]) == {}
    (key,) = links_of(Intent(operation_id="any", observed_at=0, idempotency_key="k"))
    assert list(ledger.sharing([key])[key]) == kept


def test_what_comes_for_a_forgotten_operation_begins_it_anew(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    told(ledger, "op-1", 1)
    assert ledger.forget(["op-1"], NOW + 1) == 1
    late = story("webhook pay_1 at=99")
    ledger.add(late, due=NOW)
    assert ledger.facts(["op-1"]) == fold(late)
    assert due(ledger) == {"op-1": True}


# ------------------------------------------------------------------------- the rest


def test_a_closed_ledger_opens_again(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=NOW)
    ledger.close()
    assert ledger.facts(["op-1"]) == fold(CHARGED)


def test_a_started_attempt_and_its_end_are_two_facts(ledger: Ledger) -> None:
    started = Attempt(operation_id="op-1", attempt_id="a", observed_at=1, started_only=True)
    ended = Attempt(operation_id="op-1", attempt_id="a", observed_at=2, transport=Transport.SUCCESS)
    assert ledger.add([started], due=NOW) == ledger.add([ended], due=NOW) == 1
    assert ledger.facts(["op-1"]) == fold([started, ended])


# -------------------------------------------------------------------------- holding


def test_one_holds_an_operation_and_lets_it_go(ledger: Ledger) -> None:
    assert ledger.hold("op-1")
    assert not ledger.hold("op-1")
    assert ledger.hold("op-2")
    ledger.release("op-1")
    ledger.release("op-1")
    assert ledger.hold("op-1")


def test_what_is_held_can_be_added_to_and_judged(ledger: Ledger) -> None:
    ledger.add(CHARGED, due=0)
    assert ledger.hold("op-1")
    assert ledger.add(story("webhook pay_9 at=9"), due=0) == 1
    with ledger.claim(NOW, 10) as claim:
        assert [*claim.operations] == ["op-1"]


def test_what_a_process_held_is_free_when_it_is_gone(durable_url: str) -> None:
    program = (
        "import os, signal, sys; from counterfoil.ledger import open_ledger;"
        "assert open_ledger(sys.argv[1]).hold('op-1'); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, durable_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        ledger = open_ledger(durable_url)
        assert not ledger.hold("op-1")
        other.kill()
        other.wait()
    deadline = time.monotonic() + 60
    while not ledger.hold("op-1"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    ledger.close()
