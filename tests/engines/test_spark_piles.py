"""What a bucket of a job on Spark keeps: all of it, for as long as it is to be kept, in bounded room at hand.

In Spark's own tester for stateful processors, which needs no JVM and whose clock is moved by hand.
"""

import random

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed; what its buckets keep was left out")

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.streaming.tws_tester import TwsTester

from counterfoil.engines.frames import framed, unframed
from counterfoil.engines.pages import PAGE, Page, Pile
from counterfoil.engines.piles import AT_HAND, Piles
from counterfoil.engines.sieve import BITS, Sieve

BEGAN_MS = 1_767_225_600_000
KEEP_S = 1_000


class Keeping(StatefulProcessor):
    """Puts what comes on piles, and answers with the whole of each."""

    def init(self, handle):
        self._piles = Piles(handle, KEEP_S)

    def handleInputRows(self, key, rows, timerValues):
        self._piles.begin(timerValues.getCurrentProcessingTimeInMs())
        found = []
        for row in rows:
            pile = self._piles.put(row.name, self._piles.of(row.name), row.note, row.facts)
            found.append(
                Row(parts=list(self._piles.earlier(row.name, pile)), note=pile.note, names=self._piles.names())
            )
        self._piles.end()
        yield from found


@pytest.fixture
def bucket():
    tester = TwsTester(Keeping(), timeMode="ProcessingTime")
    tester.setProcessingTime(BEGAN_MS)
    return tester


def came(name, note, facts=b""):
    return Row(name=name, note=note, facts=facts)


def test_facts_past_what_is_at_hand_are_laid_aside_and_never_touched_again(bucket):
    facts = [b"%d" % number * 1_000 for number in range(10, 40)]
    for number, fact in enumerate(facts):
        row = bucket.test(0, [came("name", str(number), fact)])[0]
    assert b"\n".join(row.parts).split(b"\n") == facts
    assert row.note == "29"
    assert max(map(len, row.parts)) < AT_HAND + 2_001


def test_whatever_comes_in_whatever_order_everything_is_there_and_the_page_stays_small(bucket):
    chance = random.Random(8)
    known = {}
    for turn in range(60):
        names = [f"name {chance.randrange(300)}" for _ in range(chance.randrange(1, 40))]
        rows = [came(name, f"{turn}", b"%d " % turn + b"x" * chance.randrange(2_000)) for name in dict.fromkeys(names)]
        for row in rows:
            known[row.name] = [*known.get(row.name, []), row.facts]
        found = bucket.test(0, rows)
        assert [b"\n".join(one.parts).split(b"\n") for one in found] == [known[row.name] for row in rows]
        assert found[-1].names == sorted(known)
        assert len(bucket.peekValueState("page", 0)[1]) <= PAGE
    assert len(bucket.peekMapState("aside", 0)) > 100, "next to nothing was laid aside"


def test_what_was_written_last_stays_on_the_page(bucket):
    bucket.test(0, [came(f"name {number}", "", b"x" * 1_000) for number in range(200)])
    laid_aside = {name for (name,) in bucket.peekMapState("aside", 0)}
    assert laid_aside == {f"name {number}" for number in range(len(laid_aside))}


def test_what_is_on_the_page_is_forgotten_in_time_however_often_the_page_is_written(bucket):
    bucket.test(0, [came("early", "said")])
    bucket.setProcessingTime(BEGAN_MS + KEEP_S * 1_000 - 1)
    assert bucket.test(0, [came("late", "said")])[0].names == ["early", "late"]
    bucket.setProcessingTime(BEGAN_MS + KEEP_S * 1_000)
    assert bucket.test(0, [came("later", "said")])[0].names == ["late", "later"]


def test_a_page_that_is_read_back_is_the_same_page():
    page = Page(b"", 1, 10)
    piles = {"": Pile("note", 0, b""), 'odd "\n name': Pile("", 3, b"[1]\n[2]"), "é": Pile("\n", 1, b"\n")}
    for name, pile in piles.items():
        page[name] = pile
    again = Page(page.text(), 2, 10)
    assert {name: again[name] for name in again.names()} == piles


def test_texts_come_out_of_their_frame_as_they_went_in():
    frames = [(["a", 1], b""), ([], b"\n"), (["é\n", ["x"]], b"\xff[1]\n\n")]
    assert list(unframed(framed(frames))) == frames
    assert list(unframed(framed([]))) == []


def test_a_sieve_never_denies_a_name_that_it_has_and_mostly_one_that_it_has_not():
    sieve = Sieve(7).having([f"name {number}" for number in range(10_000)])
    assert all(sieve.may_have(f"name {number}") for number in range(10_000))
    assert sum(sieve.may_have(f"stranger {number}") for number in range(10_000)) < 400
    assert len(sieve.now) * 8 == BITS


def test_a_sieve_lets_a_name_go_in_the_second_turn_after_it_came():
    sieve = Sieve(7).having(["name"])
    assert sieve.at(8).having(["other"]).may_have("name")
    assert not sieve.at(8).at(9).may_have("name")
    assert not sieve.at(9).is_used
