"""Which operation a call is: declared beats keyed beats derived, and where no name is unique nothing is merged."""

from __future__ import annotations

import pytest
from opentelemetry.trace import SpanKind

from counterfoil import names
from counterfoil.config import Config, Lookup, Place, ToolConfig
from counterfoil.evidence import fold
from counterfoil.facts import Fact, Intent
from counterfoil.judge import judge_all
from counterfoil.verdicts import Finding, Reason
from tests.reading.live import Watched, carrying


def test_a_name_that_the_tool_sets_on_its_span_counts_although_it_comes_late() -> None:
    app = Watched()
    with app.tool() as span:
        span.set_attribute(names.OPERATION_ID, "order-17")
        app.request()
    judged = app.the_one()
    assert judged.operation.operation_id == "order-17"
    assert len(judged.operation.dispatches) == 1
    assert {intent.id_source for intent in app.intents()} == {None}


def test_a_span_around_the_tool_names_it_and_the_intent_is_stated_at_once() -> None:
    app = Watched()
    with app.span("handle order", {names.OPERATION_ID: "order-17"}), app.tool():
        assert [type(fact) for fact in app.facts] == [Intent], "before anything was sent"
        app.request()
    assert app.the_one().operation.operation_id == "order-17"


def test_baggage_names_a_tool_and_a_bare_request() -> None:
    app = Watched()
    with carrying(operation_id="order-17", expected_count="2"):
        with app.tool():
            app.request()
        with app.span("job"):
            app.request()
    judged = app.the_one()
    assert (judged.operation.operation_id, judged.operation.expected_count) == ("order-17", 2)
    assert len(judged.operation.dispatches) == 2


def test_one_name_declared_below_the_tool_is_the_tools_name() -> None:
    app = Watched()
    with app.tool(), app.span("charge", {names.OPERATION_ID: "order-17"}):
        app.request()
    judged = app.the_one()
    assert judged.operation.operation_id == "order-17"
    assert len(judged.operation.dispatches) == 1


def test_two_names_below_one_tool_are_two_operations() -> None:
    app = Watched()
    with app.tool("pay_all"):
        for order in ("order-1", "order-2"):
            with app.span("charge", {names.OPERATION_ID: order}):
                app.request()
    attempts = {name: len(judged.operation.dispatches) for name, judged in app.judged().items()}
    assert attempts["order-1"] == attempts["order-2"] == 1
    assert not any(judged.findings for judged in app.judged().values())


def test_the_arguments_name_an_operation_where_the_operator_says_so() -> None:
    tool = ToolConfig(
        operation_id=Lookup(Place.ARGUMENTS, "order.id"), intent_ref=Lookup(Place.ARGUMENTS, "order.intent")
    )
    app = Watched(Config(tools={"charge_card": tool}))
    with app.tool(arguments='{"order": {"id": 17, "intent": "buy"}}'):
        pass
    judged = app.the_one()
    assert judged.operation.operation_id == "17"
    assert judged.operation.intent_refs == {"buy"}


def test_a_key_names_the_operation_so_that_its_reuse_for_another_request_shows() -> None:
    app = Watched()
    for call, amount in (("call-1", 5), ("call-2", 6)):
        with app.tool(arguments=f'{{"amount": {amount}}}', call=call):
            app.request(key="k1")
    judged = app.the_one()
    assert judged.verdict is Finding.KEY_CONFLICT
    assert {intent.id_source for intent in app.intents()} == {"idempotency_key"}


def test_keys_of_two_servers_are_two_names() -> None:
    app = Watched()
    for server in ("a.example", "b.example"):
        with app.tool():
            app.request(key="k1", server=server)
    assert len(app.judged()) == 2


def test_a_derived_name_survives_a_resume_which_makes_a_new_run() -> None:
    app = Watched()
    with app.tool(run="run-1", result=None) as waiting:
        waiting.set_attribute("pydantic_ai.tool.deferral.name", "ApprovalRequired")
    assert app.the_one().reason is Reason.AWAITING_APPROVAL
    with app.tool(run="run-2"):
        app.request()
    judged = app.the_one()
    assert judged.reason is Reason.UNVERIFIED
    assert {intent.id_source for intent in app.intents()} == {"tool_call_id"}


def test_the_spelling_of_the_arguments_is_no_part_of_the_name() -> None:
    app = Watched()
    with app.tool(arguments='{"amount":5,"to":"x"}', run="run-1", result=None) as waiting:
        waiting.set_attribute("pydantic_ai.tool.deferral.name", "CallDeferred")
    with app.tool(arguments={"to": "x", "amount": 5.0}, run="run-1"):
        pass
    assert len(app.judged()) == 1


@pytest.mark.parametrize(
    "about",
    [
        {"call": None},
        {"call": "unknown"},
        {"call": "<not specified>"},
        {"call": ""},
        {"conversation": None},
        {"arguments": None},
        {"arguments": '{"amount": 5, "note": "cut o'},
        {"arguments": '{"amount": 5, "card": "[Scrubbed due to \'card\']"}'},
    ],
)
def test_without_a_unique_name_two_calls_are_never_one(about: dict[str, str | None]) -> None:
    app = Watched()
    for _ in range(2):
        with app.tool(**about):  # type: ignore[arg-type]
            pass
    assert len(app.judged()) == 2
    assert {intent.id_source for intent in app.intents()} == {"span"}


def test_a_call_id_that_comes_again_in_one_run_is_another_call() -> None:
    app = Watched()
    for _ in range(3):
        with app.tool("send_reminder", "{}", call="call_0"):
            app.request("/v1/mails")
    assert len(app.judged()) == 3
    assert not any(judged.findings for judged in app.judged().values())


def test_two_instrumentations_of_one_call_are_one_attempt() -> None:
    app = Watched()
    for scope in ("openinference.instrumentation.pydantic_ai", "pydantic-ai"):
        with app.tool(scope=scope):
            pass
    assert len(app.the_one().operation.dispatches) == 1


def test_what_is_declared_for_a_whole_run_is_taken_by_its_first_call_and_that_ones_repeats() -> None:
    """An agent does many things in one run: they are not one operation that is repeated."""
    app = Watched()
    with app.span("handle", {names.OPERATION_ID: "order-17"}), app.run():
        with app.tool("find_customer", '{"id":1}', call="call-1"):
            app.request("/v1/search")
        with app.tool("charge_card", '{"amount":5}', call="call-2"):
            app.request("/v1/charges")
        with app.tool("find_customer", '{"id":1}', call="call-3"):
            app.request("/v1/search", key="k1")
    judged = app.judged()
    assert len(judged) == 2
    assert judged["order-17"].operation.tool == "find_customer"
    assert len(judged["order-17"].operation.dispatches) == 2


def test_the_same_holds_for_baggage() -> None:
    app = Watched()
    with carrying(operation_id="order-17"), app.run():
        with app.tool("find_customer", '{"id":1}', call="call-1"):
            app.request("/v1/search")
        with app.tool("charge_card", '{"amount":5}', call="call-2"):
            app.request("/v1/charges")
    assert sorted(len(judged.operation.dispatches) for judged in app.judged().values()) == [1, 1]


def test_baggage_within_the_run_names_the_call_that_it_is_around() -> None:
    app = Watched()
    with app.run(), carrying(operation_id="order-17"), app.tool():
        app.request()
    assert app.the_one().operation.operation_id == "order-17"


def test_who_answers_a_request_does_not_attempt_the_operation_again() -> None:
    """The provider sees the operation's name in baggage too, and sends requests of its own."""
    app = Watched()
    with carrying(operation_id="order-17"), app.tool():
        http = {"http.request.method": "POST", "url.full": "https://pay.example/v1/charges"}
        with (
            app.span("POST", http, kind=SpanKind.CLIENT, scope="httpx") as sent,
            app.span("POST /v1/charges", kind=SpanKind.SERVER, scope="asgi"),
        ):
            app.request("/v1/ledger", server="ledger.example")
            sent.set_attribute("http.response.status_code", 201)
    assert len(app.the_one().operation.dispatches) == 1


ASKED = {
    "http.request.method": "POST",
    "url.full": "https://pay.example/v1/charges",
    "http.request.header.idempotency_key": ["k1"],
}


@pytest.mark.parametrize("said_where", ["by the operator", "on the tool's span", "by baggage"])
def test_a_request_that_a_killed_process_had_stated_has_the_scope_of_its_repeat(said_where: str) -> None:
    """The key is the same and so is its scope, so the repeat is what a retry should look like."""
    scope = {names.KEY_SCOPE: "acme"}
    tool = ToolConfig(key_scope="acme" if said_where == "by the operator" else None)
    own = scope if said_where == "on the tool's span" else {}
    carried = {"key_scope": "acme"} if said_where == "by baggage" else {}

    def runs(app: Watched, *, is_killed: bool) -> list[Fact]:
        with (
            carrying(**carried),
            app.tool(**{names.OPERATION_ID: "order-1"}, **own),
            app.span("POST", ASKED, kind=SpanKind.CLIENT, scope="opentelemetry.instrumentation.httpx") as request,
        ):
            known = list(app.facts)
            request.set_attribute("http.response.status_code", 201)
        return known if is_killed else app.facts

    facts = [
        fact
        for is_killed in (True, False)
        for fact in runs(Watched(Config(tools={"charge_card": tool})), is_killed=is_killed)
    ]
    judged = judge_all(fold(facts))["order-1"]
    assert len(judged.operation.dispatches) == 2
    assert judged.findings == ()


def test_a_key_that_only_the_outer_of_two_nested_requests_shows_at_its_end_names_nothing_and_breaks_nothing() -> None:
    """The inner one is the attempt, and nobody saw which key it had."""
    app, post = Watched(), {name: value for name, value in ASKED.items() if not name.startswith("http.request.header")}
    with app.tool(), app.span("POST", post, kind=SpanKind.CLIENT) as outer:
        with app.span("POST", post, kind=SpanKind.CLIENT) as inner:
            inner.set_attribute("http.response.status_code", 201)
        outer.set_attributes(ASKED)
    assert [dispatch.http_status for dispatch in app.the_one().operation.dispatches] == [201]
