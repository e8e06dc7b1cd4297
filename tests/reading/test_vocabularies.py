"""The same call in other words comes to the same facts, live as in a file; and told twice it is one."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, ExitStack
from itertools import permutations

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span, TracerProvider

from counterfoil.facts import Reported
from counterfoil.processor import CounterfoilProcessor
from tests.reading.live import Watched

ARGUMENTS = {"order": "17", "amount": 5}
AS_JSON = json.dumps(ARGUMENTS)
ENVELOPE = json.dumps(
    {"input_str": str(ARGUMENTS), "tags": ["a"], "inputs": ARGUMENTS, "kwargs": {"tool_call_id": "c"}}
)
OPENINFERENCE, TRACELOOP = "openinference.instrumentation.langchain", "opentelemetry.instrumentation.langchain"
OFFICIAL = "opentelemetry.instrumentation.genai.langchain"
WORDS: dict[str, tuple[str, str, dict[str, object]]] = {
    "pydantic-ai": ("pydantic-ai", "execute_tool charge", {"gen_ai.tool.call.arguments": '{"amount":5,"order":"17"}'}),
    "pydantic-ai-2": ("pydantic-ai", "running tool", {"tool_arguments": AS_JSON}),
    "genai": (OFFICIAL, "execute_tool charge", {"gen_ai.tool.call.arguments": AS_JSON}),
    "openinference": (OPENINFERENCE, "charge", {"input.value": AS_JSON}),
    "traceloop": (TRACELOOP, "execute_tool charge", {"gen_ai.tool.call.arguments": ENVELOPE}),
    "traceloop-sdk": (
        "traceloop.tracer",
        "charge.tool",
        {"traceloop.entity.input": json.dumps({"args": [], "kwargs": ARGUMENTS})},
    ),
    "langsmith": ("langsmith", "charge", {"gen_ai.prompt": AS_JSON}),
    "logfire": ("logfire.openai_agents", "Function: {name}", {"input": AS_JSON}),
    "adk": ("gcp.vertex.agent", "execute_tool charge", {"gcp.vertex.agent.tool_call_args": AS_JSON}),
    "strands": ("strands.telemetry.tracer", "execute_tool charge", {"gen_ai.tool.call.arguments": AS_JSON}),
}
SAID = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "charge",
    "openinference.span.kind": "TOOL",
    "tool.name": "charge",
    "traceloop.span.kind": "tool",
    "logfire.msg_template": "Function: {name}",
    "name": "charge",
}


def called(app: Watched, words: str) -> AbstractContextManager[Span]:
    scope, name, arguments = WORDS[words]
    return app.span(name, {**SAID, **arguments}, scope=scope)


@pytest.mark.parametrize("words", WORDS)
def test_equal_arguments_have_one_hash_in_whatever_words(words: str) -> None:
    app, plain = Watched(), Watched()
    with called(app, words):
        pass
    with called(plain, "pydantic-ai"):
        pass
    assert app.the_one().operation.tool == "charge"
    assert app.the_one().operation.payload_hashes == plain.the_one().operation.payload_hashes != frozenset()
    assert app.reading.read.keys() == {words.partition("-")[0].replace("pydantic", "genai")}


@pytest.mark.parametrize("words", WORDS)
def test_a_span_that_ends_in_silence_is_no_success(words: str) -> None:
    app = Watched()
    with called(app, words) as span:
        span.set_status(trace.StatusCode.OK)
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.reported is not Reported.SUCCESS


@pytest.mark.parametrize(("outer", "inner"), list(permutations(("genai", "openinference", "traceloop"), 2)))
@pytest.mark.parametrize("in_two_traces", [False, True])
def test_a_call_that_two_tell_of_is_one_with_the_requests_below_either(
    outer: str, inner: str, in_two_traces: bool
) -> None:
    app = Watched()
    with called(app, outer), ExitStack() as stack:
        if in_two_traces:
            token = trace.context_api.attach(Context())
            stack.callback(trace.context_api.detach, token)
        with called(app, inner):
            app.request()
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.http_status == 201


def test_two_calls_that_look_alike_and_are_told_of_twice_are_two() -> None:
    app = Watched()
    tracers = [app.provider.get_tracer(WORDS[words][0]) for words in ("genai", "openinference")]
    spans = [
        tracer.start_span(WORDS[words][1], Context(), attributes={**SAID, **WORDS[words][2]})  # type: ignore[dict-item]
        for _ in range(2)
        for tracer, words in zip(tracers, ("genai", "openinference"), strict=True)
    ]
    for span in spans:
        span.end()
    assert len(app.judged()) == 2


def test_calls_one_after_the_other_are_two_whoever_tells_of_them() -> None:
    app = Watched()
    for words in ("genai", "openinference"):
        with called(app, words):
            pass
    assert len(app.judged()) == 2


def test_calls_of_two_frameworks_are_two() -> None:
    app = Watched()
    with called(app, "genai"):
        token = trace.context_api.attach(Context())
        with called(app, "logfire"):
            pass
        trace.context_api.detach(token)
    assert len(app.judged()) == 2


def test_calls_with_two_ids_are_two_however_alike_they_are() -> None:
    app = Watched()
    message = json.dumps({"type": "tool", "data": {"content": "x", "tool_call_id": "call-2"}})
    with app.span(
        "execute_tool charge", {**SAID, **WORDS["genai"][2], "gen_ai.tool.call.id": "call-1"}, scope=OFFICIAL
    ):
        token = trace.context_api.attach(Context())
        with app.span("charge", {**SAID, "input.value": AS_JSON, "output.value": message}, scope=OPENINFERENCE):
            pass
        trace.context_api.detach(token)
    assert len(app.judged()) == 2


def test_a_sentinel_for_an_id_names_nothing() -> None:
    app = Watched()
    for _ in range(2):
        with app.run(), app.tool(call="<not specified>", scope="agent_framework"):
            pass
        with app.run(), app.tool(call="unknown", scope="agent_framework"):
            pass
    assert len(app.judged()) == 4


def test_a_handoff_and_a_list_of_tools_call_none() -> None:
    app = Watched()
    for name in ("handoff to billing", "handoff", "mcp_tools"):
        with app.span(name, {"openinference.span.kind": "TOOL"}, scope="openinference.instrumentation.openai_agents"):
            pass
    with app.span("transfer", {"openinference.span.kind": "TOOL"}, scope="openinference.instrumentation.openai_agents"):
        pass  # its name is no tool's, which only its end shows
    with app.span("execute_tool (merged tools)", {"gen_ai.operation.name": "execute_tool"}, scope="gcp.vertex.agent"):
        pass
    assert not app.judged()


@pytest.mark.parametrize("scope", [OPENINFERENCE, "gcp.vertex.agent"])
def test_the_processor_sees_a_call_that_only_its_end_shows(scope: str) -> None:
    """LangChain's spans under OpenInference, and ADK's, have no attributes before they end."""
    provider = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
    ours = CounterfoilProcessor()
    provider.add_span_processor(ours)
    with provider.get_tracer(scope).start_as_current_span("execute_tool charge") as span:
        span.set_attributes({**SAID, "input.value": AS_JSON})
    assert provider.force_flush()
    read = ours.pipeline.reading.read
    provider.shutdown()
    assert read.keys() == {"openinference" if scope == OPENINFERENCE else "adk"}
