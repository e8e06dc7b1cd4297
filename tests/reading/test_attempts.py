"""Which of the requests below a call are attempts, and what they say of it."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.trace import SpanKind, Status, StatusCode

from counterfoil import names
from counterfoil.config import Config, Lookup, Place, ToolConfig
from counterfoil.evidence import fold
from counterfoil.facts import Reported, Transport
from counterfoil.judge import judge_all
from counterfoil.verdicts import Finding, Outcome, Reason
from tests.reading.live import Watched


def test_a_request_is_the_attempt_and_the_tools_word_stands_on_it() -> None:
    app = Watched()
    with app.tool():
        app.request(status=201, key="k1")
    (dispatch,) = app.the_one().operation.dispatches
    assert (dispatch.transport, dispatch.http_status) == (Transport.HTTP_STATUS, 201)
    assert dispatch.reported is Reported.SUCCESS
    assert dispatch.key is not None
    assert "k1" not in dispatch.key
    assert dispatch.scope == "pay.example"


def test_without_a_request_the_call_is_the_attempt() -> None:
    app = Watched()
    with app.tool():
        pass
    (dispatch,) = app.the_one().operation.dispatches
    assert (dispatch.transport, dispatch.reported) == (Transport.SUCCESS, Reported.SUCCESS)


REFUSED_OR_LOST = [{"status": 402}, {"status": 500}, {"error": "ReadTimeout"}, {"error": "ConnectError"}]


@pytest.mark.parametrize("ended", REFUSED_OR_LOST, ids=str)
def test_a_tool_that_returns_after_its_request_was_refused_or_lost_has_not_said_success(ended: dict[str, Any]) -> None:
    """It returns "declined", as a model is told; to call that a false success would page somebody for honesty."""
    app = Watched()
    with app.tool():
        app.request(**ended)
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.reported is None


def test_the_word_of_the_application_stands_whatever_the_request_came_to() -> None:
    app = Watched()
    with app.tool() as span:
        app.request(status=402)
        span.set_attribute(names.REPORTED, "success")
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.reported is Reported.SUCCESS


def test_what_is_lost_and_then_answered_was_reported_as_the_tool_returned() -> None:
    app = Watched()
    with app.tool():
        app.request(error="ReadTimeout", key="k1")
        app.request(status=201, key="k1")
    assert app.the_one().operation.dispatches[-1].reported is Reported.SUCCESS


def test_reads_are_no_attempts() -> None:
    app = Watched()
    with app.tool():
        app.request("/v1/charges", 200, method="GET")
        app.request("/v1/charges", 201)
        app.request("/v1/charges/1", 200, method="HEAD")
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.http_status == 201


def test_the_same_request_again_after_a_lost_answer_is_a_retry() -> None:
    app = Watched()
    with app.tool():
        app.request(error="ReadTimeout")
        app.request()
    judged = app.the_one()
    assert [one.transport for one in judged.operation.dispatches] == [Transport.TIMEOUT, Transport.HTTP_STATUS]
    assert judged.verdict is Finding.UNSAFE_RETRY


def test_a_retry_under_its_key_is_what_a_retry_should_look_like() -> None:
    app = Watched()
    with app.tool():
        app.request(error="ReadTimeout", key="k1")
        app.request(key="k1")
    assert app.the_one().findings == ()


def test_a_retry_that_leaves_the_key_out_is_not() -> None:
    app = Watched()
    with app.tool():
        app.request(error="ReadTimeout", key="k1")
        app.request()
    assert app.the_one().verdict is Finding.UNSAFE_RETRY


def test_a_connection_that_was_never_made_sent_nothing() -> None:
    app = Watched()
    with app.tool():
        app.request(error="ConnectError")
        app.request()
    judged = app.the_one()
    assert [one.executed for one in judged.operation.dispatches] == [False, True]
    assert judged.operation.dispatches[0].proof == "refused_stream"
    assert judged.findings == ()


def test_only_connections_that_were_never_made_prove_that_nothing_happened() -> None:
    app = Watched()
    with app.tool(result=None) as span:
        app.request(error="ConnectError")
        span.set_status(Status(StatusCode.ERROR))
    assert app.the_one().outcome is Outcome.VERIFIED_NOT_APPLIED


def test_clean_requests_to_one_target_are_a_batch() -> None:
    app = Watched()
    with app.tool("mail_all"):
        for _ in range(3):
            app.request("/v1/mails")
    judged = app.the_one()
    assert (len(judged.operation.dispatches), judged.operation.expected_count) == (1, 3)
    assert judged.findings == ()


def test_a_lost_answer_within_a_batch_still_shows() -> None:
    app = Watched()
    with app.tool("mail_all"):
        app.request("/v1/mails")
        app.request("/v1/mails", error="ReadTimeout")
        app.request("/v1/mails")
    assert app.the_one().verdict is Finding.UNSAFE_RETRY


def test_steps_at_several_targets_are_one_attempt() -> None:
    app = Watched()
    with app.tool():
        app.request("/v1/customers")
        app.request("/v1/charges")
    judged = app.the_one()
    assert len(judged.operation.dispatches) == 1
    assert judged.findings == ()


def test_the_step_that_carries_a_key_is_the_attempt() -> None:
    app = Watched()
    with app.tool():
        app.request("/v1/audit")
        app.request("/v1/charges", 503, key="k1")
        app.request("/v1/charges", 201, key="k1")
        app.request("/v1/audit")
    judged = app.the_one()
    assert [one.http_status for one in judged.operation.dispatches] == [503, 201]
    assert judged.findings == ()


def test_a_step_that_is_repeated_shows_although_the_call_is_the_attempt() -> None:
    app = Watched()
    with app.tool():
        app.request("/v1/customers")
        app.request("/v1/charges", error="ReadTimeout")
        app.request("/v1/charges")
    judged = app.the_one()
    assert len(judged.operation.dispatches) == 1
    assert judged.operation.dispatches[0].wire_requests == 2
    assert judged.verdict is Finding.UNSAFE_RETRY


def test_of_two_libraries_on_top_of_each_other_the_lower_one_sends() -> None:
    app = Watched()
    outer = {"http.method": "POST", "http.url": "https://pay.example/v1/charges"}
    with app.tool(), app.span("POST", outer, kind=SpanKind.CLIENT, scope="requests"):
        app.request(status=503)
        app.request(status=201)
    assert [one.http_status for one in app.the_one().operation.dispatches] == [503, 201]


def test_old_names_and_dashes_are_read_as_well() -> None:
    app = Watched()
    old = {
        "http.method": "POST",
        "http.url": "https://user:pw@pay.example:8443/v1/charges?token=s",
        "http.request.header.idempotency-key": ("k1",),
        "http.status_code": 409,
    }
    with app.tool(), app.span("POST", old, kind=SpanKind.CLIENT):
        pass
    (dispatch,) = app.the_one().operation.dispatches
    assert (dispatch.http_status, dispatch.scope) == (409, "pay.example:8443")
    assert dispatch.executed, "the provider may have done anything before it said so"


def test_a_blanked_header_is_no_key() -> None:
    """Two keys that somebody blanked would look like one key for two requests."""
    app = Watched()
    for call, amount in (("call-1", 5), ("call-2", 6)):
        with app.tool(arguments=f'{{"amount": {amount}}}', call=call):
            app.request(key="[REDACTED]")
    assert len(app.judged()) == 2
    assert not any(judged.findings for judged in app.judged().values())


def test_another_header_may_carry_the_key() -> None:
    tool = ToolConfig(idempotency_key=Lookup(Place.HEADER, "x-request-id"), key_scope="acct-1", key_ttl_s=60)
    app = Watched(Config(tools={"charge_card": tool}))
    with app.tool():
        app.request(**{"http.request.header.x_request_id": ["k1"]})
    (dispatch,) = app.the_one().operation.dispatches
    assert (dispatch.scope, dispatch.key_ttl_s) == ("acct-1", 60)
    assert dispatch.key is not None


def test_what_a_client_resends_by_itself_is_counted() -> None:
    app = Watched()
    with app.tool():
        app.request(**{"http.request.resend_count": 2})
    judged = app.the_one()
    assert judged.operation.dispatches[0].wire_requests == 3
    assert judged.verdict is Finding.UNSAFE_RETRY


def test_a_request_given_up_in_silence_is_unknown() -> None:
    app = Watched()
    with app.tool(result=None):
        app.request(status=None)
    judged = app.the_one()
    assert judged.operation.dispatches[0].transport is Transport.STARTED
    assert judged.reason is Reason.AMBIGUOUS


def test_where_no_key_could_be_seen_a_retry_is_a_doubt() -> None:
    """Unknown is not none: the header isn't captured, so the retry may have had the first one's key."""
    app = Watched(captured="x-other")
    with app.tool():
        app.request(error="ReadTimeout")
        app.request()
    judged = app.the_one()
    assert judged.findings == ()
    assert judged.reason is Reason.TELEMETRY_GAP


def test_an_instrumentation_that_captures_nothing_shows_no_missing_key() -> None:
    app = Watched()
    lost = {"http.request.method": "POST", "url.full": "https://pay.example/v1/charges", "error.type": "ReadTimeout"}
    with app.tool():
        with app.span("POST", lost, kind=SpanKind.CLIENT, scope="shop.client"):
            pass
        with app.span("POST", {**lost, "error.type": "timeout"}, kind=SpanKind.CLIENT, scope="shop.client"):
            pass
    judged = app.the_one()
    assert (judged.findings, judged.reason) == ((), Reason.TELEMETRY_GAP)


def test_a_blanked_key_was_there() -> None:
    app = Watched()
    with app.tool():
        app.request(error="ReadTimeout", key="[REDACTED]")
        app.request(key="[REDACTED]")
    judged = app.the_one()
    assert (judged.findings, judged.reason) == ((), Reason.TELEMETRY_GAP)


def test_a_client_that_resends_under_a_key_that_nobody_could_see_is_a_doubt() -> None:
    app = Watched(captured="")
    with app.tool():
        app.request(**{"http.request.resend_count": 1})
    assert app.the_one().reason is Reason.TELEMETRY_GAP


def test_a_repeated_step_whose_key_nobody_could_see_is_a_doubt() -> None:
    app = Watched(captured="")
    with app.tool():
        app.request("/v1/customers")
        app.request("/v1/charges", error="ReadTimeout")
        app.request("/v1/charges")
    assert app.the_one().reason is Reason.TELEMETRY_GAP
    assert app.the_one().findings == ()


def test_a_pattern_that_is_none_captures_nothing() -> None:
    app = Watched(captured="(")
    with app.tool():
        app.request(error="ReadTimeout")
        app.request()
    assert app.the_one().reason is Reason.TELEMETRY_GAP


def test_a_process_that_does_not_show_its_requests_is_not_accused_of_sending_without_a_key() -> None:
    here, elsewhere = Watched(), Watched()
    with here.tool(**{names.OPERATION_ID: "order-1"}):
        here.request(error="ReadTimeout", key="k1")
    with elsewhere.tool(**{names.OPERATION_ID: "order-1", names.EFFECT_REF: "ch_1", names.EFFECT_AUTHORITATIVE: True}):
        pass
    judged = judge_all(fold([*here.facts, *elsewhere.facts]))["order-1"]
    assert judged.verdict is Outcome.VERIFIED_APPLIED
    assert judged.findings == ()
