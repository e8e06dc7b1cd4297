"""Whether a retry had the first one's key is seen without a word from the application, and the key stays in there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real.otlp import attributes
from tests.shapes.application import Application

CAPTURE = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST"
KEY = "key-that-must-not-leave"
HEADER = "http.request.header.idempotency_key"


def told(application: Application) -> tuple[str, str | None]:
    ((verdict,),) = application.received.verdicts().values()
    return verdict["counterfoil.verdict"], verdict.get("counterfoil.reason")


def headers(application: Application) -> list[Any]:
    requests = [attributes(span) for span in application.received.spans("opentelemetry.instrumentation.httpx")]
    assert len(requests) == 3
    return [request.get(HEADER) for request in requests]


def pay(application: Application, *key: str, **more: str) -> None:
    application.run("opentelemetry-instrument", "python", "paying.py", *key, **more)


def test_a_retry_under_its_key_is_no_finding_and_the_key_leaves_as_a_hash(application: Application) -> None:
    pay(application, KEY)
    assert told(application) == ("indeterminate", "unverified")
    assert len({str(shown) for shown in headers(application)}) == 1
    assert all(str(shown).startswith("['sha256:") for shown in headers(application)), headers(application)
    assert KEY.encode() not in b"".join(span.SerializeToString() for span in application.received.spans())


def test_a_retry_without_a_key_is_a_finding(application: Application) -> None:
    pay(application)
    assert told(application)[0] == "unsafe_retry"


@pytest.mark.parametrize("off", [{"COUNTERFOIL_CAPTURE_KEYS": "false"}, {CAPTURE: ""}, {CAPTURE: "x-other"}], ids=str)
@pytest.mark.parametrize("key", [(), (KEY,)], ids=["no key", "a key"])
def test_where_the_header_may_not_be_shown_nobody_knows(
    application: Application, key: tuple[str, ...], off: dict[str, str]
) -> None:
    pay(application, *key, **off)
    assert told(application) == ("indeterminate", "telemetry_gap")
    assert headers(application) == [None] * 3


def test_what_the_user_has_chosen_to_show_is_left_as_it_is(application: Application) -> None:
    pay(application, KEY, **{CAPTURE: "idempotency-key"})
    assert told(application) == ("indeterminate", "unverified")
    assert headers(application) == [[KEY]] * 3
