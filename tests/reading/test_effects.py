"""What spans show of effects, and what somebody claims."""

from __future__ import annotations

from counterfoil import names
from counterfoil.config import Config, Lookup, Place, ToolConfig
from counterfoil.facts import Claim, Effect
from counterfoil.verdicts import Outcome, Reason
from tests.reading.live import Watched, carrying

RECEIPT = {names.EFFECT_REF: "ch_1", names.EFFECT_AUTHORITATIVE: True}


def receipts_from(effect_ref: Lookup) -> Config:
    return Config(tools={"charge_card": ToolConfig(effect_ref=effect_ref)})


def test_a_receipt_on_the_tools_span_verifies_the_call() -> None:
    app = Watched()
    with app.tool() as span:
        app.request()
        span.set_attributes(RECEIPT)  # type: ignore[arg-type]
    assert app.the_one().outcome is Outcome.VERIFIED_APPLIED


def test_a_look_that_came_within_the_tools_read_lag_is_no_evidence_of_absence() -> None:
    app = Watched(Config(tools={"charge_card": ToolConfig(settle_after_s=600)}))
    with app.tool(**{names.OPERATION_ID: "order-1"}):
        app.request()
    with app.span("look", {names.OPERATION_ID: "order-1", names.EFFECT_SOURCE: "probe"}) as span:
        span.set_attributes({names.EFFECT_COUNT: 0, names.EFFECT_AUTHORITATIVE: True})
    assert app.the_one().reason is Reason.SETTLING


def test_a_receipt_that_nobody_vouches_for_verifies_nothing() -> None:
    app = Watched()
    with app.tool(**{names.EFFECT_REF: "ch_1"}):
        app.request()
    assert app.the_one().reason is Reason.UNVERIFIED


def test_a_receipt_on_a_span_below_belongs_to_the_call_whatever_that_will_be_called() -> None:
    app = Watched()
    with app.tool():
        app.request(key="k1")
        with app.span("parse answer") as span:
            span.set_attributes(RECEIPT)  # type: ignore[arg-type]
    assert app.the_one().outcome is Outcome.VERIFIED_APPLIED


def test_a_webhook_in_another_trace_is_evidence_and_no_attempt() -> None:
    app = Watched()
    with app.tool(**{names.OPERATION_ID: "order-17"}):
        app.request(error="ReadTimeout")
    with app.span("POST /webhooks", {names.OPERATION_ID: "order-17", names.EFFECT_SOURCE: "webhook", **RECEIPT}):
        pass
    judged = app.the_one()
    assert judged.outcome is Outcome.VERIFIED_APPLIED
    assert len(judged.operation.dispatches) == 1


def test_a_probe_that_found_nothing_is_absence_only_if_it_began_after_the_attempt_ended() -> None:
    app = Watched()
    looked = {names.EFFECT_COUNT: 0, names.EFFECT_SOURCE: "probe", names.EFFECT_AUTHORITATIVE: True}
    with (
        app.span("count charges", {names.OPERATION_ID: "order-17", **looked}),
        app.tool(**{names.OPERATION_ID: "order-17"}),
    ):
        app.request()
    assert app.judged()["order-17"].reason is Reason.SETTLING
    with app.span("count charges", {names.OPERATION_ID: "order-17", **looked}):
        pass
    assert app.judged()["order-17"].outcome is Outcome.FALSE_SUCCESS


def test_an_answer_that_only_promises_is_no_receipt_though_its_request_was_never_seen() -> None:
    """Without the HTTP span nobody sees the 202, so the operator says what this tool's answers are."""
    name = Lookup(Place.RESULT, "id")
    for stage, outcome in ((None, Outcome.VERIFIED_APPLIED), ("accepted", Outcome.INDETERMINATE)):
        app = Watched(Config(tools={"charge_card": ToolConfig(effect_ref=name, effect_stage=stage)}))
        with app.tool(result='{"id": "job_1"}'):
            pass
        assert app.the_one().outcome is outcome
    assert app.the_one().reason is Reason.ACCEPTED


def test_a_promise_that_was_kept_is_known_by_the_same_name() -> None:
    app = Watched(
        Config(tools={"charge_card": ToolConfig(effect_ref=Lookup(Place.RESULT, "id"), effect_stage="accepted")})
    )
    with app.tool(result='{"id": "job_1"}', **{names.OPERATION_ID: "order-17"}):
        app.request(status=200)
    assert app.the_one().reason is Reason.ACCEPTED, "a plain 200 doesn't make a job's name a receipt"
    done = {names.EFFECT_REF: "job_1", names.EFFECT_AUTHORITATIVE: True, names.EFFECT_SOURCE: "webhook"}
    with app.span("POST /webhooks", {names.OPERATION_ID: "order-17", **done}):
        pass
    assert app.the_one().outcome is Outcome.VERIFIED_APPLIED


def test_an_operator_may_say_that_a_202_tells_of_what_was_done() -> None:
    app = Watched(
        Config(tools={"charge_card": ToolConfig(effect_ref=Lookup(Place.RESULT, "id"), effect_stage="applied")})
    )
    with app.tool(result='{"id": "ch_1"}'):
        app.request(status=202)
    assert app.the_one().outcome is Outcome.VERIFIED_APPLIED


def test_an_operator_says_where_the_answer_names_the_object() -> None:
    for result in ('{"charge": {"id": "ch_1"}}', {"charge": {"id": "ch_1"}}):
        app = Watched(receipts_from(Lookup(Place.RESULT, "charge.id")))
        with app.tool(result=result):
            app.request()
        assert app.the_one().effect_refs == ("ch_1",)
        assert app.the_one().outcome is Outcome.VERIFIED_APPLIED


def test_what_pydantic_ai_wraps_around_a_result_is_looked_through() -> None:
    wrapped = '{"return_value": {"id": 17}, "content": null, "metadata": null, "tools": null, "kind": "tool-return"}'
    app = Watched(receipts_from(Lookup(Place.RESULT, "id")))
    with app.tool(result=wrapped):
        app.request()
    assert app.the_one().effect_refs == ("17",)


def test_a_header_of_the_answer_may_name_the_object() -> None:
    app = Watched(receipts_from(Lookup(Place.HEADER, "x-effect-id")))
    with app.tool():
        app.request(**{"http.response.header.x_effect_id": ["ch_1"]})
    assert app.the_one().effect_refs == ("ch_1",)


def test_the_answer_to_a_request_that_failed_is_no_receipt() -> None:
    app = Watched(receipts_from(Lookup(Place.HEADER, "x-effect-id")))
    with app.tool(result=None):
        app.request(status=500, **{"http.response.header.x_effect_id": ["ch_1"]})
    assert app.the_one().effect_refs == ()


def test_an_accepted_request_names_a_promise() -> None:
    app = Watched(receipts_from(Lookup(Place.RESULT, "id")))
    with app.tool(result='{"id": "job-1"}'):
        app.request(status=202)
    assert app.the_one().reason is Reason.ACCEPTED


def test_each_part_of_a_batch_has_its_object() -> None:
    app = Watched(receipts_from(Lookup(Place.HEADER, "x-effect-id")))
    with app.tool():
        for number in range(3):
            app.request(**{"http.response.header.x_effect_id": [f"ch_{number}"]})
    judged = app.the_one()
    assert (judged.outcome, judged.effect_count) == (Outcome.VERIFIED_APPLIED, 3)


def test_a_model_that_says_done_is_a_claim() -> None:
    app = Watched()
    with app.span("answer", {names.OPERATION_ID: "order-17", names.REPORTED: "success"}):
        pass
    assert [type(fact) for fact in app.facts] == [Claim]


def test_effects_without_an_operation_are_counted_and_nobodys() -> None:
    app = Watched()
    with app.span("parse answer", RECEIPT):
        pass
    assert app.facts == []
    assert app.reading.spilled["no_operation"] == 1


def test_baggage_says_whose_effect_it_is() -> None:
    app = Watched()
    with carrying(operation_id="order-17"), app.span("parse answer", RECEIPT):
        pass
    assert [(type(fact), fact.operation_id) for fact in app.facts] == [(Effect, "order-17")]


def test_the_number_of_effects_meant_stands_on_every_fact() -> None:
    app = Watched()
    with app.tool(**{names.EXPECTED_COUNT: 2, **RECEIPT}):
        app.request()
    assert {fact.expected_count for fact in app.facts} == {2}


def test_the_words_of_an_operator_go_into_the_intent() -> None:
    tool = ToolConfig(side_effect=False, idempotent=True, key_ttl_s=60, expected_count=1)
    app = Watched(Config(tools={"find_charge": tool}))
    with app.tool("find_charge"):
        pass
    judged = app.the_one()
    assert judged.outcome is Outcome.HEALTHY
    (intent,) = app.intents()
    assert (intent.idempotent_hint, intent.hint_trusted, intent.key_ttl_s) == (True, True, 60)
    assert (intent.agent, intent.run_id, intent.conversation_id) == ("clerk", "run-1", "conv-1")
