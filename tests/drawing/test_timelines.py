"""What a drawing says: the moments in order, honest about times, in bounds, with strangers' words made harmless."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.drawing.layout import APART, downwards, to_the_right
from counterfoil.drawing.moments import MOST_MARKS, Moments, moments
from counterfoil.drawing.scale import after, fitted
from counterfoil.drawing.summary import MOST_ATTENTION, MOST_OTHERS
from counterfoil.facts import Claim, Effect, Fact, Intent, Reported
from counterfoil.printable import shortened
from tests.drawing.pages import AT_ONCE, CHARGED_TWICE, NOW, START, STORM, audit_of, judged, page_of
from tests.strategies import held, meant, sent, unread

SECOND = 1_000_000_000


def moments_of(text: str, *more: Fact, now: int = NOW) -> Moments:
    return moments(judged(text, *more)[0].judgement, now)


def notes(told: Moments) -> dict[int, tuple[str, ...]]:
    return {moment.number: moment.notes for moment in told.drawn if moment.notes}


def test_witnesses_are_marked() -> None:
    bearing = [moment.said for moment in moments_of(CHARGED_TWICE).drawn if moment.event.bears_out]
    assert bearing == ["provider receipt: holds pay_2", "webhook: holds pay_1"]


def test_attempts_that_ran_at_once_lie_beside_each_other_and_others_in_one_line() -> None:
    def lines(text: str) -> int:
        return len({mark.y for mark in to_the_right(moments_of(text)).marks if mark.moment.lane.value == "sent"})

    assert lines(AT_ONCE) == 3
    assert lines(CHARGED_TWICE) == 1


def test_an_attempt_that_was_never_seen_to_end_goes_on_to_the_end_of_what_is_known() -> None:
    drawing = to_the_right(moments_of(AT_ONCE))
    (open_one,) = [bar for bar in drawing.bars if bar.open_ended]
    assert open_one.to_x > max(mark.x for mark in drawing.marks)


def test_a_fact_without_a_time_stands_apart_and_last_and_never_in_1970() -> None:
    timeless = Claim(operation_id="op-1", observed_at=0, reported=Reported.SUCCESS, by="model")
    told = moments_of(CHARGED_TWICE, timeless)
    for drawing in (to_the_right(told), downwards(told)):
        assert drawing.unknown_at is not None
        assert drawing.ticks[-1].text == ""
    assert told.drawn[-1].event.at == "time unknown"
    assert "1970" not in page_of(CHARGED_TWICE, timeless)


def test_clocks_that_contradict_each_other_are_told_and_nothing_is_moved() -> None:
    assert notes(moments_of(AT_ONCE)) == {1: ("by these clocks it was seen before it was meant",)}
    backwards = f"attempt started id=a1 started_only at={START + 9}; attempt 200 id=a1 at={START}"
    assert notes(moments_of(backwards)) == {1: ("by these clocks it ended before it began",)}
    early = moments_of(f"receipt pay_1 at={START}", now=START * SECOND - 1)
    assert notes(early) == {1: ("its clock is ahead of the one that this page was made by",)}


def test_of_very_many_facts_some_are_drawn_witnesses_first_and_the_others_counted() -> None:
    told = moments_of(f"{STORM}; receipt pay_1 at={START + 77}.5; receipt pay_2 at={START + 78}.5")
    assert len(told.drawn) == MOST_MARKS
    assert told.left_out == 202 - MOST_MARKS
    assert sum(moment.event.bears_out for moment in told.drawn) == 2
    assert "162 more facts are left out" in page_of(
        f"{STORM}; receipt pay_1 at={START + 77}.5; receipt pay_2 at={START}"
    )


def test_a_strangers_name_is_escaped_and_cut_and_cannot_turn_the_writing_around() -> None:
    name = "<script>alert(1)</script>\u202e\x00" + "x" * 10_000
    page = page_of(
        f"attempt success at={START}",
        Intent(operation_id="op-1", observed_at=START * SECOND, tool=name),
        Effect(operation_id="op-1", observed_at=START * SECOND, source=name, effect_ref=name, authoritative=True),
    )
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not {"\u202e", "\x00"} & set(page)
    assert "x" * 400 not in page


def test_a_page_loads_nothing_and_says_so() -> None:
    page = page_of(CHARGED_TWICE)
    assert "default-src 'none'; style-src 'unsafe-inline'" in page
    assert not re.findall(r"""(?:src|href)=["'](?!#)|url\(|@import|<script|<link""", page)


def test_an_audit_says_its_bounds_and_how_many_it_left_out() -> None:
    several = ";".join(
        f"intent pay op=bad-{n} at={START}; receipt r{n}a op=bad-{n}; receipt r{n}b op=bad-{n}; "
        f"intent pay op=good-{n} at={START}; receipt g{n} op=good-{n}"
        for n in range(120)
    )
    page = audit_of(judged(several))
    assert page.count("<article") == MOST_ATTENTION + MOST_OTHERS
    assert page.count("<details>") == MOST_OTHERS
    assert "left out are 70 that need attention and 20 of the others." in page
    assert "and 44 more below" in page


def test_a_clean_call_without_a_receipt_needs_no_attention_and_a_lost_answer_does() -> None:
    page = audit_of(judged(f"attempt success op=clean at={START}; attempt timeout op=lost at={START}"))
    needing, others = page.split('id="others"')
    assert "lost</h3>" in needing
    assert "clean</h3>" in others


def test_how_long_after_is_said_in_two_units_at_most() -> None:
    seconds = (0, 0.2, 30, 45.25, 130, 3_600, 90_000, 10_000_000)
    assert [after(int(second * SECOND)) for second in seconds] == [
        "0 s",
        "+200 ms",
        "+30 s",
        "+45.2 s",
        "+2 min 10 s",
        "+1 h",
        "+1 d 1 h",
        "+115 d",
    ]


def test_a_longer_name_is_told_to_be_longer() -> None:
    assert shortened("x" * 30, 5) == "xxxxx… (30 characters)"


@given(st.lists(st.one_of(sent, held, meant, unread), min_size=1, max_size=30))
def test_whatever_happened_no_two_marks_meet(facts: list[Fact]) -> None:
    told = moments(judged("", *(replace(fact, operation_id="op-1") for fact in facts))[0].judgement, NOW)
    for drawing in (to_the_right(told), downwards(told)):
        along = sorted(mark.y if drawing.down else mark.x for mark in drawing.marks)
        assert all(later - earlier >= APART - 0.001 for earlier, later in pairwise(along))
        assert all(0 < mark.x < drawing.width and 0 < mark.y < drawing.height for mark in drawing.marks)


@given(st.lists(st.integers(0, 10**18), min_size=1, max_size=14).map(sorted))
def test_longer_waits_never_take_less_room(times: list[int]) -> None:
    places = fitted(times, apart=APART, length=600)
    waits = [(later - earlier) for earlier, later in pairwise(times)]
    room = [later - earlier for earlier, later in pairwise(places)]
    in_order = [taken for _, taken in sorted(zip(waits, room, strict=True))]
    assert all(shorter <= longer + 0.001 for shorter, longer in pairwise(in_order))
