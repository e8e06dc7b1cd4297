"""A file of spans that have ended tells the same as the process did while they were open."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from counterfoil import names
from counterfoil.evidence import fold
from counterfoil.facts import Fact
from counterfoil.judge import Judgement, judge_all
from counterfoil.reading.spans import Reading, SpanSeen
from counterfoil.reading.traces import Traces, moments
from tests.reading.live import Watched

RECEIPT = {names.EFFECT_REF: "ch_1", names.EFFECT_AUTHORITATIVE: True}


class Recorded(Watched):
    """The same, and every span that ended is kept, as an exporter would."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        super().on_end(span)
        self.ended.append(span)


def read_again(spans: list[ReadableSpan]) -> list[Fact]:
    """What a reader of files makes of them."""
    traces, reading, facts = Traces(), Reading(Watched().reading.config), list[Fact]()
    for span in spans:
        traces.add(cast(SpanSeen, span))
    for trace in traces.by_id.values():
        for moment in moments(trace):
            facts += reading.ended(moment.span) if moment.ended else reading.started(moment.span)
    return facts + reading.close()


def words(judged: dict[str, Judgement]) -> dict[str, tuple[object, ...]]:
    return {
        name: (one.verdict, one.outcome, one.findings, one.reason, len(one.operation.dispatches), one.effect_refs)
        for name, one in judged.items()
    }


def a_lost_answer_and_a_retry(app: Watched) -> None:
    with app.run(), app.tool():
        app.request(error="ReadTimeout", key="k1")
        app.request(key="k1")


def a_name_and_a_receipt_set_in_the_body(app: Watched) -> None:
    with app.run(), app.tool() as span:
        span.set_attribute(names.OPERATION_ID, "order-17")
        app.request()
        span.set_attributes(RECEIPT)  # type: ignore[arg-type]


def a_name_from_above(app: Watched) -> None:
    with app.span("handle", {names.OPERATION_ID: "order-17"}), app.run():
        with app.tool("find", '{"id":1}', call="call-1"):
            app.request("/v1/search")
        with app.tool("charge_card", '{"amount":5}', call="call-2"):
            app.request()


def steps_and_a_batch(app: Watched) -> None:
    with app.run():
        with app.tool("steps", call="call-1"):
            app.request("/v1/customers")
            app.request("/v1/charges", error="ReadTimeout")
            app.request("/v1/charges")
        with app.tool("batch", call="call-2"):
            for _ in range(3):
                app.request("/v1/mails")


def a_probe_in_another_trace(app: Watched) -> None:
    with app.tool(**{names.OPERATION_ID: "order-17"}):
        app.request()
    looked = {names.EFFECT_COUNT: 0, names.EFFECT_SOURCE: "probe", names.EFFECT_AUTHORITATIVE: True}
    with app.span("look", {names.OPERATION_ID: "order-17", **looked}):
        pass


def a_thread_that_goes_on(app: Watched) -> None:
    with app.tool(result="Timed out after 0.05 seconds.") as span:
        span.set_status(Status(StatusCode.ERROR))
    said = {"http.request.method": "POST", "url.full": "https://pay.example/v1/charges"}
    late = app.provider.get_tracer("httpx").start_span(
        "POST", context=set_span_in_context(span), kind=SpanKind.CLIENT, attributes=said
    )
    late.set_attribute("http.response.status_code", 201)
    late.end()


@pytest.mark.parametrize(
    "story",
    [
        a_lost_answer_and_a_retry,
        a_name_and_a_receipt_set_in_the_body,
        a_name_from_above,
        steps_and_a_batch,
        a_probe_in_another_trace,
        a_thread_that_goes_on,
    ],
)
@pytest.mark.parametrize("order", ["as exported", "backwards", "twice"])
def test_a_file_tells_the_same(story: Callable[[Watched], None], order: str) -> None:
    app = Recorded()
    story(app)
    spans = {"as exported": app.ended, "backwards": app.ended[::-1], "twice": app.ended * 2}[order]
    assert words(judge_all(fold(read_again(spans)))) == words(app.judged())
