"""Beside Logfire's processors and among them: verdicts arrive once, readable, and are neither blanked nor sampled."""

from __future__ import annotations

from typing import Any

import logfire
import pytest
from logfire.testing import CaptureLogfire
from opentelemetry import trace

from counterfoil import CounterfoilProcessor, attach
from counterfoil.config import Config
from tests.logfire.conftest import AT_ONCE, Shop

PAGES, TELLS = 17, 9


def settled(shop: Shop, how: str, **options: Any) -> CounterfoilProcessor:
    """Logfire, with ours in one of the places where it may stand."""
    inside = CounterfoilProcessor(AT_ONCE)
    shop.configure(*([] if how == "beside" else [inside]), **options)
    return inside if how == "inside" else shop.attach()


@pytest.mark.parametrize("how", ["beside", "inside", "both"])
def test_a_verdict_arrives_once_wherever_ours_stands(shop: Shop, how: str):
    processor = settled(shop, how)
    shop.charge("ch-1")
    processor.force_flush()
    (verdict,) = shop.verdicts()
    assert verdict["counterfoil.verdict"] == "verified_applied"
    assert verdict["logfire.msg"].startswith("verified_applied: charge ")
    assert verdict["logfire.level_num"] == TELLS
    assert [event["counterfoil.verdict"] for event in shop.events()] == ["verified_applied"]


def test_what_logfires_own_fixture_captures(capfire: CaptureLogfire):
    processor = attach(trace.get_tracer_provider(), AT_ONCE)
    Shop().charge("ch-1", "ch-2")
    processor.force_flush()
    (verdict,) = (span for span in capfire.exporter.exported_spans_as_dict() if span["name"] == "verdict charge")
    assert verdict["attributes"]["logfire.level_num"] == PAGES
    assert verdict["attributes"]["logfire.msg"].startswith("duplicate_effect: ")
    counted = {metric["name"] for metric in capfire.get_collected_metrics()}
    assert "counterfoil.verdicts" in counted


# ------------------------------------------------------------------------ scrubbing

SUSPICIOUS = "create_session"
SAID = ("counterfoil.verdict", "counterfoil.outcome", "counterfoil.findings", "counterfoil.next_action", "logfire.msg")


@pytest.mark.parametrize("how", ["beside", "inside"])
@pytest.mark.parametrize("refs", [("r-1",), ("r-1", "r-2"), ()], ids=["applied", "twice", "unverified"])
def test_no_word_of_a_verdict_is_taken_for_a_secret(shop: Shop, how: str, refs: tuple[str, ...]):
    """The tool is called as a scrubber fears it. The sentence, which names the tool, is blanked; the message with the
    same sentence is not."""
    processor = settled(shop, how)
    shop.charge(*refs, tool=SUSPICIOUS)
    processor.force_flush()
    (verdict,) = shop.verdicts()
    assert verdict["gen_ai.tool.name"] == SUSPICIOUS
    blanked = {name for name, value in verdict.items() if "[Scrubbed" in str(value)}
    assert blanked <= {"counterfoil.explanation"}
    assert not any("Scrubbed" in str(verdict[name]) for name in SAID)
    assert SUSPICIOUS in verdict["logfire.msg"]


def test_a_callback_keeps_all_that_is_ours(shop: Shop):
    """The one of docs/configure.md."""

    def keep_ours(match: logfire.ScrubMatch) -> Any:
        ours = any(str(step).startswith("counterfoil.") for step in match.path)
        return match.value if ours else None

    processor = settled(shop, "beside", scrubbing=logfire.ScrubbingOptions(callback=keep_ours))
    shop.charge("r-1", tool=SUSPICIOUS, operation="session-7")
    processor.force_flush()
    (verdict,) = shop.verdicts()
    assert verdict["counterfoil.operation.id"] == "session-7"
    assert SUSPICIOUS in verdict["counterfoil.explanation"]


@pytest.mark.parametrize("how", ["beside", "inside"])
def test_requests_that_differ_only_in_what_is_scrubbed_stay_two(shop: Shop, how: str):
    processor = settled(shop, how)
    for number in (1, 2):
        shop.charge("r", operation=f"order-{number}", arguments=f'{{"session": "s{number}"}}')
    processor.force_flush()
    assert len({verdict["counterfoil.request.hash"] for verdict in shop.verdicts()}) == 2


# ------------------------------------------------------------------------- sampling

ONLY_ERRORS = logfire.SamplingOptions.level_or_duration(
    level_threshold="error", duration_threshold=None, background_rate=0
)


@pytest.mark.parametrize("how", ["beside", "inside"])
def test_a_verdict_that_pages_rescues_the_trace_that_it_is_about(shop: Shop, how: str):
    """Inside, a processor sees the ends of spans only if their trace is kept, so it can't rescue one."""
    processor = settled(shop, how, sampling=ONLY_ERRORS)
    with logfire.span("request"):
        shop.charge("ch-1", "ch-2")
        processor.force_flush()
    if how == "beside":
        assert set(shop.names()) == {"verdict charge", "execute_tool charge", "request"}
    else:
        assert shop.names() == []


def test_a_verdict_that_does_not_page_lets_its_trace_go(shop: Shop):
    processor = settled(shop, "beside", sampling=ONLY_ERRORS)
    with logfire.span("request"):
        shop.charge("ch-1")
        processor.force_flush()
    assert shop.names() == []
    assert [event["counterfoil.verdict"] for event in shop.events()] == ["verified_applied"]


@pytest.mark.parametrize("refs", [("ch-1",), ("ch-1", "ch-2")], ids=["applied", "twice"])
def test_a_verdict_after_its_trace_was_let_go_arrives_alone(shop: Shop, refs: tuple[str, ...]):
    processor = settled(shop, "beside", sampling=ONLY_ERRORS)
    with logfire.span("request"):
        shop.charge(*refs)
    processor.force_flush()
    assert shop.names() == ["verdict charge"]


@pytest.mark.parametrize("recorded", [False, True])
def test_nothing_is_sampled_and_all_is_judged_where_all_is_recorded(shop: Shop, recorded: bool):
    shop.configure(sampling=logfire.SamplingOptions(head=0.0))
    processor = shop.attach(Config(settle_after_s=0, record_all=recorded))
    with logfire.span("request"):
        shop.charge("ch-1")
    processor.force_flush()
    assert shop.names() == ["verdict charge"] * recorded


def test_a_tracer_that_was_there_before_shows_what_is_dropped_as_well(shop: Shop):
    shop.configure(sampling=logfire.SamplingOptions(head=0.0))
    shop.charge("ch-0", operation="order-0")
    processor = shop.attach(Config(settle_after_s=0, record_all=True))
    shop.charge("ch-1")
    processor.force_flush()
    assert [verdict["counterfoil.operation.id"] for verdict in shop.verdicts()] == ["order-1"]


# -------------------------------------------------------------------- pending spans


@pytest.mark.parametrize("how", ["beside", "inside"])
def test_pending_spans_are_nobodys_attempt(shop: Shop, how: str):
    processor = settled(shop, how)
    with logfire.span("request"):
        shop.charge("ch-1")
    processor.force_flush()
    pending = shop.exporter.exported_spans_as_dict(_include_pending_spans=True)
    assert any(span["attributes"].get("logfire.span_type") == "pending_span" for span in pending)
    (verdict,) = shop.verdicts()
    assert verdict["counterfoil.attempt.count"] == 1
