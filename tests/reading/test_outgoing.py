"""Remote calls and messages below a tool's call: what leaves, where to, and what its end says."""

from __future__ import annotations

import pytest
from opentelemetry.trace import SpanKind

from counterfoil.facts import Transport
from counterfoil.verdicts import Finding, Outcome, Reason
from tests.reading.live import Watched

NEW = {"rpc.system.name": "grpc", "rpc.method": "shop.Charges/Create", "server.address": "pay.example"}
OLD = {"rpc.system": "grpc", "rpc.service": "shop.Charges", "rpc.method": "Create"}
SENT = {"messaging.system": "kafka", "messaging.destination.name": "charges", "messaging.operation.type": "send"}


@pytest.mark.parametrize(
    ("said", "transport"),
    [
        ({"rpc.response.status_code": "OK"}, Transport.SUCCESS),
        ({"rpc.grpc.status_code": 0}, Transport.SUCCESS),
        ({"rpc.response.status_code": "DEADLINE_EXCEEDED"}, Transport.TIMEOUT),
        ({"rpc.grpc.status_code": 4}, Transport.TIMEOUT),
        ({"rpc.grpc.status_code": 1}, Transport.CANCELLED),
        ({"rpc.response.status_code": "UNAVAILABLE"}, Transport.ERROR),
        ({"rpc.grpc.status_code": 3}, Transport.ERROR),
        ({"rpc.grpc.status_code": 0, "error.type": "TimeoutError"}, Transport.TIMEOUT),
        ({"rpc.grpc.status_code": True}, Transport.ERROR),
        ({}, Transport.STARTED),
    ],
    ids=str,
)
def test_a_calls_code_is_how_it_ended_and_no_code_proves_that_nothing_happened(
    said: dict[str, object], transport: Transport
) -> None:
    app = Watched()
    with app.tool(result=None), app.span("Create", {**NEW, **said}, kind=SpanKind.CLIENT):
        pass
    (dispatch,) = app.the_one().operation.dispatches
    assert (dispatch.transport, dispatch.executed) == (transport, True)
    assert app.the_one().outcome is Outcome.INDETERMINATE


def test_old_and_new_names_are_one_target() -> None:
    app = Watched()
    with app.tool():
        with app.span("/shop.Charges/Create", {**OLD, "rpc.grpc.status_code": 14}, kind=SpanKind.CLIENT):
            pass
        new = {**NEW, "rpc.response.status_code": "OK"}
        del new["server.address"]
        with app.span("shop.Charges/Create", new, kind=SpanKind.CLIENT):
            pass
    assert [one.transport for one in app.the_one().operation.dispatches] == [Transport.ERROR, Transport.SUCCESS]
    assert app.the_one().reason is Reason.TELEMETRY_GAP


def test_a_key_in_a_calls_metadata_is_its_key() -> None:
    app = Watched()
    with app.tool():
        for code in ("UNAVAILABLE", "OK"):
            metadata = {"rpc.request.metadata.idempotency-key": ["k1"], "rpc.response.status_code": code}
            with app.span("Create", {**NEW, **metadata}, kind=SpanKind.CLIENT):
                pass
    judged = app.the_one()
    assert judged.findings == ()
    assert len({dispatch.key for dispatch in judged.operation.dispatches} - {None}) == 1


def test_two_keys_in_metadata_are_a_finding() -> None:
    app = Watched()
    with app.tool(operation_id="order-1"):
        for key in ("k1", "k2"):
            metadata = {"rpc.request.metadata.idempotency-key": [key], "rpc.response.status_code": "UNAVAILABLE"}
            with app.span("Create", {**NEW, **metadata}, kind=SpanKind.CLIENT):
                pass
    assert app.the_one().verdict is Finding.UNSAFE_RETRY


@pytest.mark.parametrize("service", ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"])
def test_asking_a_server_how_it_is_sends_nothing(service: str) -> None:
    app = Watched()
    with app.tool(), app.span("Check", {**OLD, "rpc.service": service}, kind=SpanKind.CLIENT):
        pass
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.transport is Transport.SUCCESS  # the call's own


@pytest.mark.parametrize(
    ("kind", "said", "sends"),
    [
        (SpanKind.PRODUCER, SENT, True),
        (SpanKind.CLIENT, SENT, True),
        (SpanKind.PRODUCER, {"messaging.system": "kafka", "messaging.destination": "charges"}, True),
        (SpanKind.PRODUCER, {**SENT, "messaging.operation.type": "publish"}, True),
        (SpanKind.PRODUCER, {**SENT, "messaging.operation.type": "create"}, False),
        (SpanKind.CLIENT, {**SENT, "messaging.operation.type": "receive"}, False),
        (SpanKind.CLIENT, {"messaging.operation.type": "send"}, False),
        (SpanKind.CONSUMER, SENT, False),
    ],
    ids=str,
)
def test_what_hands_a_message_over_is_a_dispatch(kind: SpanKind, said: dict[str, object], sends: bool) -> None:
    app = Watched()
    with app.tool(result=None), app.span("charges send", said, kind=kind):
        pass
    (dispatch,) = app.the_one().operation.dispatches
    assert (dispatch.transport is Transport.SUCCESS) == sends


def test_a_message_that_could_not_be_handed_over_is_a_doubt() -> None:
    """A broker's client tries again by itself: that it was refused at last says nothing of before."""
    app = Watched()
    with app.tool(result=None), app.span("charges send", SENT, kind=SpanKind.PRODUCER) as span:
        span.set_attribute("error.type", "ConnectionRefusedError")
    judged = app.the_one()
    assert (judged.outcome, judged.reason) == (Outcome.INDETERMINATE, Reason.AMBIGUOUS)


def test_a_message_by_an_aws_call_by_http_is_sent_once() -> None:
    """Three instrumentations on top of each other: boto3sqs, botocore and urllib3."""
    app = Watched()
    aws = {"rpc.system": "aws-api", "rpc.service": "SQS", "rpc.method": "SendMessage"}
    with (
        app.tool(),
        app.span("orders send", {"messaging.system": "aws.sqs"}, kind=SpanKind.PRODUCER),
        app.span("SQS.SendMessage", aws, kind=SpanKind.CLIENT),
    ):
        app.request("/", 503, server="sqs.eu-central-1.amazonaws.com")
        app.request("/", 200, server="sqs.eu-central-1.amazonaws.com")
    assert [one.http_status for one in app.the_one().operation.dispatches] == [503, 200]


def test_whoever_takes_a_message_in_sends_nothing_for_the_call() -> None:
    app = Watched()
    with (
        app.tool(),
        app.span("charges send", SENT, kind=SpanKind.PRODUCER),
        app.span("charges process", {"messaging.system": "kafka"}, kind=SpanKind.CONSUMER),
    ):
        app.request("/v1/charges", 500)
    (dispatch,) = app.the_one().operation.dispatches
    assert dispatch.transport is Transport.SUCCESS
