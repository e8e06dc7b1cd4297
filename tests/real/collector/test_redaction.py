"""Nothing that an agent said, sent or was told leaves the gateway, and what a verdict is made of survives."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.real.collector.conftest import Through
from tests.real.otlp import ERROR, attributes, record, span
from tests.real.sink import Sink

pytestmark = pytest.mark.real

SAID = "Jane Roe wants the blue one"
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "create_ticket"}
KEY = "order-4711-attempt"

# Sixteen digits that begin with 4, as a card number does; a name must be the same on every signal all the same.
OPERATION = "order-4111111111111112"

CONTENT: dict[str, Any] = {
    "gen_ai.tool.call.arguments": f'{{"who": "{SAID}"}}',
    "gen_ai.tool.call.result": {"who": SAID},
    "gen_ai.input.messages": [{"parts": [{"content": SAID}]}],
    "gen_ai.output.messages": SAID,
    "gen_ai.system_instructions": SAID,
    "gen_ai.prompt.0.content": SAID,
    "gen_ai.completion.0.content": SAID,
    "tool_arguments": SAID,
    "tool_response": f"first line\n{SAID}",
    "final_result": SAID,
    "all_messages_events": SAID,
    "pydantic_ai.all_messages": SAID,
    "traceloop.entity.input": SAID,
    "traceloop.entity.output": SAID,
    "input.value": SAID,
    "output.value": SAID,
    "llm.input_messages.0.message.content": SAID,
    "llm.output_messages.0.message.content": SAID,
    "tool.parameters": SAID,
    "http.request.body": SAID,
    "http.request.header.authorization": [SAID],
    "http.response.header.set-cookie": SAID,
    "db.query.parameter.name": SAID,
    "x_api_key": SAID,
}

SECRETS = {
    "a bearer token": "Authorization: Bearer abc.def-123",
    "a JSON web token": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJqYW5lIn0.c2ln",
    "a card number": "card 4111111111111111 was charged",
    "a provider's secret": "sk_live_abcdefghijklmnop1234",
}

NAMES_AND_NUMBERS: dict[str, Any] = {
    "counterfoil.operation.id": OPERATION,
    "counterfoil.request.hash": "sha256:" + "ab" * 32,
    "counterfoil.effect.ref": "T-1",
    "counterfoil.explanation": "Two tickets exist where one was meant.",
    "gen_ai.tool.name": "create_ticket",
    "gen_ai.tool.call.id": "call_1",
    "gen_ai.conversation.id": "conversation-1",
    "error.type": "TimeoutError",
    "http.request.body.size": 120,
}


@pytest.fixture(scope="module")
def came_out(through_gateway: Through) -> Sink:
    """What the gateway delivers of one failed tool call, its verdict and the log events around them."""
    failed = span(
        "execute_tool create_ticket",
        0x51,
        {
            **TOOL,
            **CONTENT,
            **NAMES_AND_NUMBERS,
            **{f"note.{number}": text for number, text in enumerate(SECRETS.values())},
        },
        status=ERROR,
        message=f"no such customer: {SAID}",
        events={
            "exception": {
                "exception.type": "ValueError",
                "exception.message": SAID,
                "exception.stacktrace": f"ValueError: {SAID}",
            },
            "gen_ai.content.prompt": {"gen_ai.prompt": SAID},
        },
    )
    verdict = span(
        "verdict create_ticket",
        0x51,
        {**NAMES_AND_NUMBERS, "counterfoil.verdict": "duplicate_effect", "counterfoil.idempotency_key": KEY},
        number=2,
        parent=1,
        status=ERROR,
        message="duplicate_effect",
    )
    # No events: statements about events must not be all that the spans get.
    request = span("POST", 0x51, {"http.response.status_code": 500}, number=3, parent=1, message=SAID, status=ERROR)
    records = [
        record("counterfoil.verdict", {**NAMES_AND_NUMBERS, "counterfoil.verdict": "duplicate_effect"}),
        record("gen_ai.user.message", {"gen_ai.system": "x"}, body={"content": SAID}),
        record("", {"event.name": "gen_ai.choice"}, body=SAID),
        record("app.failed", {**CONTENT, "exception.message": SAID}, body={"tool_arguments": {"who": SAID}}),
    ]
    return through_gateway([failed, verdict, request], records)


def test_no_word_of_it_leaves(came_out: Sink) -> None:
    assert SAID not in came_out.text()


@pytest.mark.parametrize("what", SECRETS)
def test_a_secret_is_masked_wherever_it_stands(came_out: Sink, what: str) -> None:
    secret = SECRETS[what].removeprefix("Authorization: ").removeprefix("card ").removesuffix(" was charged")
    assert secret not in came_out.text()


def test_what_a_verdict_is_made_of_survives(came_out: Sink) -> None:
    spans = [each for each in came_out.spans() if each.name != "POST"]
    assert len(spans) == 2
    for each in spans:
        assert NAMES_AND_NUMBERS.items() <= attributes(each).items()
    (event,) = (each for each in came_out.records() if each.event_name == "counterfoil.verdict")
    assert NAMES_AND_NUMBERS.items() <= attributes(event).items()


def test_an_exception_keeps_its_type_and_loses_its_words(came_out: Sink) -> None:
    (failed,) = (each for each in came_out.spans() if each.name.startswith("execute_tool"))
    (exception,) = (each for each in failed.events if each.name == "exception")
    assert attributes(exception) == {"exception.type": "ValueError"}
    assert failed.status.code == ERROR
    assert failed.status.message == ""


def test_a_verdict_keeps_its_description(came_out: Sink) -> None:
    (verdict,) = (each for each in came_out.spans() if each.name.startswith("verdict"))
    assert verdict.status.message == "duplicate_effect"


def test_a_key_is_a_digest_of_itself(came_out: Sink) -> None:
    """Two uses of one key still look alike, and the provider's key can't be read off a dashboard."""
    (verdict,) = (each for each in came_out.spans() if each.name.startswith("verdict"))
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    assert attributes(verdict)["counterfoil.idempotency_key"] == f"sha256:{digest}"
    assert KEY not in came_out.text()


def test_a_log_event_keeps_its_name_when_it_loses_its_body(came_out: Sink) -> None:
    names = {each.event_name for each in came_out.records()}
    assert {"gen_ai.user.message", "counterfoil.verdict", "app.failed"} <= names
