"""What lies below a call without being an attempt, what comes late, and what never ends."""

from __future__ import annotations

import pytest
from opentelemetry.trace import SpanKind, Status, StatusCode

from counterfoil import names
from counterfoil.facts import Transport
from counterfoil.verdicts import Outcome, Reason
from tests.reading.live import Watched


def test_requests_to_a_model_are_no_attempts() -> None:
    app = Watched()
    with app.tool("summarise"), app.span("chat gpt", {"gen_ai.operation.name": "chat"}):
        app.request("/v1/chat/completions", server="model.example")
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.http_status is None


def test_a_tool_that_hands_on_to_an_agent_is_no_effect_and_the_agents_tools_are() -> None:
    app = Watched()
    inner = {"conversation": "conv-2", "run": "run-2"}
    with app.run(), app.tool("delegate", call="call-1"), app.run(**inner), app.tool(call="call-2", **inner):
        app.request()
    verdicts = {judged.operation.tool: judged.outcome for judged in app.judged().values()}
    assert verdicts == {"delegate": Outcome.HEALTHY, "charge_card": Outcome.INDETERMINATE}


def test_one_mcp_call_is_one_attempt() -> None:
    """The tool's span, the client's of FastMCP, the MCP library's, the HTTP requests that carry it, the server's."""
    app = Watched()
    named = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "charge_card",
        "mcp.method.name": "tools/call",
    }
    with (
        app.tool(),
        app.span("tools/call charge_card", named, scope="fastmcp", kind=SpanKind.CLIENT),
        app.span("MCP send tools/call", scope="mcp-python-sdk", kind=SpanKind.CLIENT),
    ):
        app.request("/mcp", 202)
        app.request("/mcp", 200)
        with app.span("tools/call charge_card", named, scope="mcp-python-sdk", kind=SpanKind.SERVER):
            pass
    assert len(app.attempts()) == 1


def test_a_thread_that_goes_on_when_its_tool_has_timed_out_is_no_second_attempt() -> None:
    app = Watched()
    tracer = app.provider.get_tracer("httpx")
    with app.tool(result="Timed out after 0.05 seconds.") as span:
        span.set_status(Status(StatusCode.ERROR))
    from opentelemetry.trace import set_span_in_context

    late = tracer.start_span(
        "POST",
        context=set_span_in_context(span),
        kind=SpanKind.CLIENT,
        attributes={"http.request.method": "POST", "url.full": "https://pay.example/v1/charges"},
    )
    late.set_attribute("http.response.status_code", 201)
    late.end()
    judged = app.the_one()
    assert len(judged.operation.dispatches) == 1
    assert (judged.reason, judged.findings) == (Reason.AMBIGUOUS, ())


def test_a_request_that_is_still_open_when_its_tool_ends_ends_later() -> None:
    app = Watched()
    with app.tool() as span:
        from opentelemetry.trace import set_span_in_context

        open_request = app.provider.get_tracer("httpx").start_span(
            "POST",
            context=set_span_in_context(span),
            kind=SpanKind.CLIENT,
            attributes={"http.request.method": "POST", "url.full": "https://pay.example/v1/charges"},
        )
    assert app.the_one().operation.dispatches[0].transport is Transport.STARTED
    open_request.set_attribute("http.response.status_code", 201)
    open_request.end()
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.http_status == 201


def test_spans_that_never_end_are_started_attempts() -> None:
    app = Watched()
    tool = app.tool()
    tool.__enter__()
    request = app.provider.get_tracer("httpx").start_span(
        "POST",
        kind=SpanKind.CLIENT,
        attributes={"http.request.method": "POST", "url.full": "https://pay.example/v1/charges"},
    )
    assert app.facts == []
    app.facts += app.reading.close()
    (views,) = app.attempts().values()
    assert [view.started_only for view in views] == [True]
    assert app.the_one().reason is Reason.AMBIGUOUS
    request.end()
    tool.__exit__(None, None, None)


@pytest.mark.parametrize("where", ["tool", "request"])
def test_the_applications_word_on_what_was_executed_counts(where: str) -> None:
    app = Watched()
    said: dict[str, object] = {names.EXECUTED: False, names.PROOF: "provider_rejected"}
    with app.tool(**(said if where == "tool" else {})):
        app.request(status=422, **(said if where == "request" else {}))
    judged = app.the_one()
    assert judged.operation.dispatches[0].proof == "provider_rejected"
    assert judged.outcome is Outcome.VERIFIED_NOT_APPLIED


def test_what_the_tool_says_that_it_told_its_caller_counts_more_than_the_status() -> None:
    app = Watched()
    with app.tool(**{names.REPORTED: "accepted"}):
        app.request(status=200)
    assert app.the_one().reason is Reason.ACCEPTED


def test_a_step_that_prefect_had_the_result_of_is_a_replay() -> None:
    app = Watched()
    with app.tool():
        app.request()
    with app.tool(), app.span("Call Tool: charge_card", scope="prefect") as step:
        step.add_event("Cached")
    assert len(app.the_one().operation.dispatches) == 1


SERVED = {"mcp.method.name": "tools/call"}
NAMED = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "charge_card"}


def test_a_call_that_an_mcp_server_was_asked_for_is_known_by_the_name_that_its_span_gets_later() -> None:
    """FastMCP opens the span when the request comes in, and names the tool when it has found it."""
    app = Watched()
    with app.span("tools/call", SERVED, scope="fastmcp", kind=SpanKind.SERVER) as span:
        span.set_attributes(NAMED)
        app.request(status=500)
    judged = app.the_one()
    (dispatch,) = judged.operation.dispatches
    assert (judged.operation.tool, dispatch.http_status) == ("charge_card", 500)


def test_an_mcp_request_that_comes_to_no_tool_is_no_call() -> None:
    app = Watched()
    with app.span("tools/call", SERVED, scope="fastmcp", kind=SpanKind.SERVER):
        pass
    assert app.judged() == {}


def test_requests_of_a_tool_on_a_mounted_mcp_server_are_its_own() -> None:
    app = Watched()
    with (
        app.span("tools/call charge_card", SERVED | NAMED, scope="fastmcp", kind=SpanKind.SERVER),
        app.span("tools/call charge_card", SERVED | NAMED, scope="fastmcp"),
    ):
        app.request(status=500)
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.http_status == 500


def test_requests_that_a_server_sends_to_ask_another_mcp_server_are_how_the_call_travels() -> None:
    app = Watched()
    with (
        app.span("tools/call charge_card", SERVED | NAMED, scope="fastmcp", kind=SpanKind.SERVER),
        app.span("tools/call charge_card", SERVED | NAMED, scope="fastmcp", kind=SpanKind.CLIENT),
    ):
        app.request("/mcp", 500)
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.http_status is None
