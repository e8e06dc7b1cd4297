"""A span that is named after it began counts like one that was named when it began."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind

from counterfoil import names, operation
from counterfoil.config import Config, ToolConfig
from tests.shell.watching import Watching


@contextmanager
def at_its_start(app: Watching) -> Iterator[None]:
    with app.span("charge order", {names.OPERATION_ID: "order-1"}):
        yield


@contextmanager
def in_its_body(app: Watching) -> Iterator[None]:
    with app.span("charge order") as span:
        span.set_attribute(names.OPERATION_ID, "order-1")
        yield


@contextmanager
def by_a_servers_handler(app: Watching) -> Iterator[None]:
    with app.span("POST /pay", kind=SpanKind.SERVER), operation("order-1", tool="charge"):
        yield


def a_retry(app: Watching) -> None:
    app.request(None)
    app.request(201)


def a_retry_with_its_key(app: Watching) -> None:
    app.request(None, "k1")
    app.request(201, "k1")


def steps_to_two_targets(app: Watching) -> None:
    app.request(201)
    sent = {"http.request.method": "POST", "url.full": "https://mail.example/send", "http.response.status_code": 202}
    with app.span("POST", sent, SpanKind.CLIENT):
        pass


def told(app: Watching) -> tuple[object, ...]:
    app.after(seconds=5)
    (verdict,) = app.verdicts()
    said = verdict.attributes or {}
    words = (names.OPERATION_ID, names.VERDICT, names.REASON, names.FINDINGS, names.ATTEMPT_COUNT)
    return tuple(said.get(word) for word in words)


@pytest.mark.parametrize("named", [in_its_body, by_a_servers_handler])
@pytest.mark.parametrize("sent", [a_retry, a_retry_with_its_key, steps_to_two_targets])
def test_its_requests_are_read_as_if_it_had_been_named_at_its_start(
    named: Callable[[Watching], Iterator[None]], sent: Callable[[Watching], None]
) -> None:
    early, late = Watching(), Watching()
    with at_its_start(early):
        sent(early)
    with named(late):
        sent(late)
    assert told(late) == told(early)


def test_a_span_of_another_pipeline_is_not_waited_for() -> None:
    """Its end would never be seen here."""
    app, other = Watching(), Watching()
    with in_its_body(other):
        app.request(None)
    assert app.processor._followed == set()


def test_a_span_that_has_ended_is_not_waited_for() -> None:
    app = Watching()
    with app.span("charge order") as span:
        span.set_attribute(names.OPERATION_ID, "order-1")
    with trace.use_span(span):
        app.request(201)
    assert app.processor._followed == set()


def test_the_verdict_on_a_stated_operation_names_its_tool() -> None:
    app = Watching(Config(tools={"charge": ToolConfig(expected_count=2)}))
    with by_a_servers_handler(app):
        app.request(201)
    app.looks("order-1", "ch_1", "ch_2")
    app.after(seconds=5)
    (verdict,) = app.verdicts()
    assert verdict.name == "verdict charge"
    assert (verdict.attributes or {})[names.TOOL_NAME] == "charge"
    assert (verdict.attributes or {})[names.VERDICT] == "verified_applied", "the settings of the tool hold for it"


def test_a_tools_span_keeps_the_name_that_its_framework_gave_it() -> None:
    app = Watching()
    with app.tool("pay", operation=None) as span, operation("order-1", tool="charge"):
        app.request(201)
    assert (span.attributes or {})["gen_ai.tool.name"] == "pay"
    app.after(seconds=5)
    assert app.verdicts()[0].name == "verdict pay"
