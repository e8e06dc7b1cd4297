"""Whatever spans hold, reading them raises nothing, leaks nothing, and does not depend on what comes twice."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import SpanKind, Status, StatusCode

from counterfoil import names
from counterfoil.config import Config, Lookup, Place, ToolConfig
from counterfoil.evidence import fold
from counterfoil.facts import Fact
from counterfoil.judge import judge_all
from counterfoil.reading import (
    adk,
    genai,
    http,
    langsmith,
    logfire,
    messaging,
    openinference,
    rpc,
    strands,
    traceloop,
    vocabularies,
)
from counterfoil.reading.spans import Reading
from counterfoil.reading.views import Happened, Named, Source, SpanIds, SpanSeen
from counterfoil.records import canonical

FRAMEWORKS = ("langchain", "openai_agents")
CANARY = "canary-7f3a"
"""Stands in every text that is content or a secret. It must be in nothing that leaves."""

nested = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.binary(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)
hostile = st.one_of(
    nested,
    st.sampled_from(
        ("", "\ud800", "x" * 2_000, 2**80, -1, float("nan"), "\x00", [], {}, ("a", 1), "success", "0", True)
    ),
)
CONTENT = (
    *genai.ARGUMENTS,
    *genai.RESULT,
    "gen_ai.input.messages",
    "http.request.header.authorization",
    openinference.INPUT,
    openinference.OUTPUT,
    *traceloop.INPUT,
    *traceloop.OUTPUT,
    langsmith.ARGUMENTS,
    langsmith.RESULT,
    logfire.ARGUMENTS,
    logfire.RESULT,
    *adk.ARGUMENTS,
    *adk.RESULT,
)
READ = (
    *names.READ,
    *CONTENT,
    *http.METHOD,
    *http.STATUS,
    *http.URL,
    *http.HOST,
    *http.PORT,
    http.RESENDS,
    *rpc.SYSTEM,
    *rpc.STATUS,
    rpc.METHOD,
    rpc.SERVICE,
    "rpc.request.metadata.idempotency-key",
    messaging.SYSTEM,
    *messaging.OPERATION,
    *messaging.DESTINATION,
    "http.request.header.idempotency_key",
    "http.response.header.x_effect_id",
    genai.OPERATION,
    genai.TOOL,
    genai.CALL_ID,
    genai.CONVERSATION_ID,
    genai.RUN_ID,
    genai.FAILURE_STAGE,
    genai.DEFERRAL,
    "error.type",
    openinference.KIND,
    openinference.TOOL,
    openinference.CALL_ID,
    openinference.CONVERSATION,
    openinference.AGENT,
    traceloop.KIND,
    traceloop.ENTITY,
    traceloop.STATUS,
    *traceloop.CONVERSATION,
    langsmith.KIND,
    *langsmith.CONVERSATION,
    logfire.TEMPLATE,
    logfire.TOOL,
    strands.STATUS,
    strands.CANCELLED,
)
likely = st.sampled_from(
    (
        {},
        {genai.OPERATION: "execute_tool", genai.TOOL: "charge", genai.CALL_ID: "c1", genai.CONVERSATION_ID: "v1"},
        {genai.OPERATION: "execute_tool", genai.TOOL: "charge", genai.ARGUMENTS[0]: f'{{"to":"{CANARY}"}}'},
        {genai.OPERATION: "invoke_agent"},
        {openinference.KIND: "TOOL", openinference.TOOL: "charge", openinference.INPUT: f'{{"to":"{CANARY}"}}'},
        {openinference.KIND: "TOOL", openinference.OUTPUT: f'{{"data":{{"tool_call_id":"c1","content":"{CANARY}"}}}}'},
        {traceloop.KIND: "tool", traceloop.ENTITY: "charge", traceloop.INPUT[-1]: f'{{"inputs":{{"a":"{CANARY}"}}}}'},
        {genai.OPERATION: "execute_tool", genai.TOOL: "charge", langsmith.ARGUMENTS: f'{{"to":"{CANARY}"}}'},
        {logfire.TEMPLATE: "Function: {name}", logfire.TOOL: "charge", logfire.ARGUMENTS: f'{{"to":"{CANARY}"}}'},
        {"http.request.method": "POST", "url.full": f"https://u:{CANARY}@pay.example/v1?token={CANARY}"},
        {"http.request.method": "POST", "http.request.header.idempotency_key": (CANARY,)},
        {"rpc.system": "grpc", "rpc.service": "shop.Charges", "rpc.method": "Create", "rpc.grpc.status_code": 14},
        {"rpc.system.name": "grpc", "rpc.request.metadata.idempotency-key": (CANARY,)},
        {"messaging.system": "kafka", "messaging.destination.name": "charges", "messaging.operation.type": "send"},
        {names.OPERATION_ID: "op-1"},
        {names.OPERATION_ID: "op-1", names.EFFECT_REF: "x", names.EFFECT_AUTHORITATIVE: True},
    )
)
attributes = st.builds(
    lambda usual, odd: usual | odd, likely, st.dictionaries(st.sampled_from(READ), hostile, max_size=3)
)

EMITTERS = (
    "app",
    "fastmcp",
    "prefect",
    *sorted(vocabularies.SCOPES),
    *(f"{openinference.PREFIX}{one}" for one in sorted(FRAMEWORKS)),
)


@st.composite
def traces(draw: st.DrawFn) -> list[SpanSeen]:
    """Up to six spans of one trace, each below one of those before it."""
    spans: list[SpanSeen] = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        parent = draw(st.integers(0, number - 1))
        start = draw(st.integers(0, 5))
        failed = draw(st.booleans())
        spans.append(
            SpanSeen(
                context=SpanIds(7, number),
                parent=SpanIds(7, parent) if parent else None,
                name=draw(st.sampled_from(("span", "execute_tool charge", "running tool", "charge", "\ud800"))),
                kind=draw(st.sampled_from(SpanKind)),
                attributes=draw(attributes),
                start_time=start,
                end_time=start + draw(st.integers(0, 5)),
                status=Status(StatusCode.ERROR, f"ReadTimeout: {CANARY}") if failed else Status(),
                events=(
                    Happened("exception", {"exception.message": CANARY, "exception.type": draw(hostile)}),
                    Happened(strands.ARGUMENTS[0], {strands.ARGUMENTS[1]: draw(hostile)}),
                    Happened(strands.RESULT[0], {strands.RESULT[1]: draw(hostile)}),
                ),
                instrumentation_scope=Named(draw(st.sampled_from(EMITTERS))),
                resource=Source({"service.instance.id": draw(hostile)}),
            )
        )
    return spans


CONFIG = Config(
    tools={
        "charge": ToolConfig(
            operation_id=Lookup(Place.ARGUMENTS, "operation"),
            effect_ref=Lookup(Place.HEADER, "x-effect-id"),
            idempotency_key=Lookup(Place.ARGUMENTS, "key"),
        )
    }
)


def read(
    spans: list[SpanSeen], *, twice: bool = False, baggage: dict[str, object] | None = None
) -> tuple[Reading, list[Fact]]:
    reading = Reading(CONFIG)
    facts: list[Fact] = []
    for span in spans:
        facts += reading.started(span, baggage)
        facts += reading.started(span, baggage) if twice else []
    for span in reversed(spans):
        facts += reading.ended(span)
    if twice:
        for span in spans:
            facts += reading.ended(span)
    return reading, facts + reading.close()


@given(traces(), st.dictionaries(st.sampled_from(names.READ), hostile, max_size=3))
def test_nothing_raises_and_every_fact_can_leave_the_process(spans: list[SpanSeen], baggage: dict[str, object]) -> None:
    reading, facts = read(spans, baggage=baggage)
    for fact in facts:
        canonical(fact).encode()
        assert all(not isinstance(value := getattr(fact, one.name), str) or len(value) <= 1_024 for one in fields(fact))
    judge_all(fold(facts))
    assert reading.open_spans == 0


@given(traces())
def test_neither_content_nor_key_leaves(spans: list[SpanSeen]) -> None:
    _, facts = read(spans)
    assert not [fact for fact in facts if CANARY in canonical(fact)]


@given(traces())
def test_spans_that_come_again_change_nothing(spans: list[SpanSeen]) -> None:
    _, once = read(spans)
    _, twice = read(spans, twice=True)
    assert set(once) == set(twice)


@given(traces())
def test_a_reader_has_room_for_so_many_open_spans_and_no_more(spans: list[SpanSeen]) -> None:
    reading = Reading(max_open=2)
    for span in spans:
        reading.started(span)
        assert reading.open_spans <= 2
    assert reading.spilled["open_spans_full"] == max(0, len(spans) - 2)


@pytest.mark.parametrize("scope", EMITTERS)
def test_nesting_without_end_is_not_looked_at(scope: str) -> None:
    deep: object = CANARY
    for _ in range(5_000):
        deep = [deep]
    attributes = {
        genai.OPERATION: "execute_tool",
        genai.TOOL: "charge",
        openinference.KIND: "TOOL",
        openinference.TOOL: "charge",
        logfire.TEMPLATE: "Function: {name}",
        logfire.TOOL: "charge",
        **dict.fromkeys(CONTENT, deep),
    }
    span = SpanSeen(
        context=SpanIds(7, 1),
        name="execute_tool charge",
        attributes=attributes,
        start_time=1,
        end_time=2,
        instrumentation_scope=Named(scope),
    )
    _, facts = read([span])
    assert [getattr(fact, "payload_hash", None) for fact in facts] == [None] * 3
