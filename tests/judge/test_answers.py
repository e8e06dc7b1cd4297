"""What a judge answers: success only for what is in the ledger, and to whom it is worth coming back."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable

import grpc
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from counterfoil import names
from counterfoil.facts import Unreadable
from counterfoil.ledger import Kind, LedgerFault
from counterfoil.ledger.memory import MemoryLedger
from counterfoil.serving.answers import Refused
from counterfoil.serving.limits import Limits, Rate
from counterfoil.serving.taking import Tokens
from counterfoil.testing import story
from tests.judge.conftest import Within
from tests.judge.sending import PROTOBUF, call, logged, of_facts, post, post_json, request
from tests.real.otlp import record

FACTS = story("intent pay op=order-1; attempt success op=order-1; receipt r op=order-1")
TOKEN = "a-token-of-some-length"
Start = Callable[..., Within]


class Broken(MemoryLedger):
    """A ledger that can't keep anything while it is told to be so."""

    kind: Kind | None = Kind.UNREACHABLE

    def add(self, facts, *, due):
        if self.kind is not None:
            raise LedgerFault(self.kind, "", "not now")
        return super().add(facts, due=due)


# ------------------------------------------------------------------------- taken


@pytest.mark.parametrize("send", [post, post_json], ids=["protobuf", "json"])
def test_a_fact_is_kept_when_the_answer_comes_and_one_that_comes_again_is_counted(start: Start, send) -> None:
    judge = start()
    assert send(judge.url, of_facts(FACTS)).status_code == 200
    assert len(judge.ledger.facts(["order-1"]).operations["order-1"]) == len(FACTS)

    send(judge.url, of_facts(FACTS))

    assert judge.value("counterfoil.facts", counterfoil_reader="fact") == 2 * len(FACTS)
    assert judge.value("counterfoil.facts.duplicates") == len(FACTS)


def test_packed_requests_are_read(within: Within) -> None:
    body = gzip.compress(of_facts(FACTS).SerializeToString())
    assert post(within.url, body, {**PROTOBUF, "content-encoding": "gzip"}).status_code == 200


def test_records_that_are_no_facts_are_left_alone(within: Within) -> None:
    others = [record("counterfoil.verdict", {names.OPERATION_ID: "order-9"}), record("", body="a line of a log")]
    answer = ExportLogsServiceResponse.FromString(post(within.url, request(others)).content)
    assert answer.partial_success.rejected_log_records == 0
    assert within.ledger.facts(["order-9"]).operations == {}


# ---------------------------------------------------------------- older and newer senders


def test_an_older_sender_says_no_version_and_a_newer_one_more_than_we_know(start: Start) -> None:
    """A field that nobody here knows is left out; what is known of the fact counts."""
    judge = start()
    older = logged(FACTS[0])
    del older.attributes[[one.key for one in older.attributes].index(names.FACT_VERSION)]
    newer = logged(FACTS[1])
    text = next(one.value for one in newer.attributes if one.key == names.FACT_RECORD)
    text.string_value = text.string_value[:-1] + ',"invented_later":[1,{"a":2}]}'

    answer = post(judge.url, request([older, newer]))

    assert ExportLogsServiceResponse.FromString(answer.content).partial_success.rejected_log_records == 0
    assert judge.ledger.facts(["order-1"]).operations["order-1"] == frozenset(FACTS[:2])


@pytest.mark.parametrize("by", ["protobuf", "json", "grpc"])
def test_a_fact_of_a_newer_version_is_refused_and_its_operation_left_in_doubt(start: Start, by: str) -> None:
    judge = start()
    sent = request([logged(FACTS[0]), logged(FACTS[2], {names.FACT_VERSION: 2})])
    if by == "json":
        assert post_json(judge.url, sent).json()["partialSuccess"]["rejectedLogRecords"] == "1"
    else:
        binary = by == "protobuf"
        answer = (
            ExportLogsServiceResponse.FromString(post(judge.url, sent).content) if binary else call(judge.grpc, sent)
        )
        assert answer.partial_success.rejected_log_records == 1
        assert answer.partial_success.error_message == "1 newer_version"
    known = judge.ledger.facts(["order-1"]).operations["order-1"]
    assert {type(fact) for fact in known} == {type(FACTS[0]), Unreadable}
    assert judge.value("counterfoil.facts.dropped", error_type="newer_version") == 1


def test_a_kind_that_nobody_knows_is_counted_and_says_nothing(start: Start) -> None:
    judge = start()
    unknown = record("counterfoil.fact", {names.FACT_RECORD: '{"kind":"invented","operation_id":"order-1"}'})
    post(judge.url, request([unknown, logged(FACTS[0])]))
    assert judge.ledger.facts(["order-1"]).operations["order-1"] == frozenset(FACTS[:1])
    assert judge.value("counterfoil.facts.dropped", error_type="unreadable") == 1


def test_a_doubt_of_the_sender_is_a_doubt_here(start: Start) -> None:
    judge = start()
    doubt = Unreadable(operation_id="order-1", observed_at=0, field="counterfoil.effect.count")
    post(judge.url, of_facts([doubt]))
    assert judge.ledger.facts(["order-1"]).operations["order-1"] == frozenset([doubt])


# ----------------------------------------------------------------------- refused for good


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"\xff\xff\xff", PROTOBUF, 400),
        (b"{", {"content-type": "application/json"}, 400),
        (b'{"resourceLogs":7}', {"content-type": "application/json"}, 400),
        (b"not gzip", {**PROTOBUF, "content-encoding": "gzip"}, 400),
        (gzip.compress(b"x" * 999, mtime=0)[:-9], {**PROTOBUF, "content-encoding": "gzip"}, 400),
        (b"", {**PROTOBUF, "content-encoding": "br"}, 415),
        (b"", {"content-type": "text/plain"}, 415),
    ],
    ids=["no protobuf", "no JSON", "no request", "no gzip", "cut gzip", "unknown encoding", "unknown type"],
)
def test_what_is_no_request_is_refused_for_good(within: Within, body: bytes, headers, status: int) -> None:
    answer = post(within.url, body, headers)
    assert answer.status_code == status
    assert "retry-after" not in answer.headers


def test_what_is_no_request_is_refused_for_good_by_grpc(within: Within) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{within.grpc}") as channel:
        raw = channel.unary_unary("/opentelemetry.proto.collector.logs.v1.LogsService/Export")
        with pytest.raises(grpc.RpcError) as error:
            raw(b"\xff\xff\xff", timeout=30, wait_for_ready=True)
    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert retry_info(error.value) is None


def test_a_body_is_bounded_before_and_after_it_is_unpacked(start: Start) -> None:
    judge = start(limits=Limits(body=1_000_000))
    bomb = gzip.compress(gzip.compress(bytes(300_000_000), 1), 1)
    assert len(bomb) < 1_000_000
    packed = {**PROTOBUF, "content-encoding": "gzip"}
    assert post(judge.url, bytes(1_000_001)).status_code == 413
    assert post(judge.url, gzip.compress(bytes(1_000_001)), packed).status_code == 413
    assert post(judge.url, gzip.decompress(bomb), packed).status_code == 413
    with grpc.insecure_channel(f"127.0.0.1:{judge.grpc}", compression=grpc.Compression.Gzip) as channel:
        raw = channel.unary_unary("/opentelemetry.proto.collector.logs.v1.LogsService/Export")
        with pytest.raises(grpc.RpcError) as error:
            raw(bytes(1_000_001), timeout=30, wait_for_ready=True)
    assert error.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert retry_info(error.value) is None


def test_a_fact_is_bounded_and_the_others_beside_it_are_kept(start: Start) -> None:
    judge = start(limits=Limits(record=2_000, attributes=10))
    long = record("counterfoil.fact", {names.OPERATION_ID: "long", names.FACT_RECORD: "x" * 2_001})
    many = logged(FACTS[1], {f"a{n}": n for n in range(11)})
    nameless = record("counterfoil.fact", {names.FACT_RECORD: '{"kind":"intent","operation_id":"a\\u0000b"}'})
    answer = call(judge.grpc, request([long, many, nameless, logged(FACTS[0])]))
    assert answer.partial_success.rejected_log_records == 3
    assert judge.ledger.facts(["order-1"]).operations["order-1"] == frozenset(FACTS[:1])
    assert judge.ledger.operations() == ["long", "order-1"]


# ------------------------------------------------------------------------ worth coming back


def test_a_ledger_that_is_away_makes_senders_come_back(start: Start) -> None:
    judge = start(Broken())
    answer = post(judge.url, of_facts(FACTS))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    with pytest.raises(grpc.RpcError) as error:
        call(judge.grpc, of_facts(FACTS))
    assert error.value.code() is grpc.StatusCode.UNAVAILABLE
    assert retry_info(error.value) == 2.0

    judge.ledger.kind = None  # type: ignore[attr-defined]
    assert post(judge.url, of_facts(FACTS)).status_code == 200


def test_who_is_too_fast_is_told_when_to_come_back(start: Start) -> None:
    judge = start(limits=Limits(rate=0.5))
    assert post(judge.url, of_facts(FACTS)).status_code == 200
    answer = post(judge.url, of_facts(FACTS))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "6")
    with pytest.raises(grpc.RpcError) as error:
        call(judge.grpc, of_facts(FACTS))
    assert error.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert 0 < (retry_info(error.value) or 0) <= 6


def test_a_rate_lets_in_what_is_owed_no_more() -> None:
    now = 0.0
    rate = Rate(10, clock=lambda: now)
    rate.spend(25)
    with pytest.raises(Refused) as refused:
        rate.spend(1)
    assert refused.value.after_s == 2.5
    now = 2.5
    rate.spend(1)


def test_where_no_place_is_free_senders_come_back(start: Start) -> None:
    judge = start(limits=Limits(waiting=1))
    with judge.worker.taking.place():
        answer = post(judge.url, of_facts(FACTS))
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert post(judge.url, of_facts(FACTS)).status_code == 200


def test_a_body_that_never_ends_does_not_hold_a_place_for_ever(start: Start) -> None:
    judge = start(limits=Limits(waiting=1, patience_s=0.3))
    over = threading.Event()

    def slow():
        yield b"\x0a"
        over.wait(30)

    answers: list[int] = []
    sender = threading.Thread(
        target=lambda: answers.append(httpx.post(f"{judge.url}/v1/logs", content=slow(), headers=PROTOBUF).status_code)
    )
    sender.start()
    until = time.monotonic() + 30
    while judge.value("counterfoil.errors", error_type="refused:slow") == 0:
        assert time.monotonic() < until
        time.sleep(0.02)
    over.set()
    sender.join()
    assert post(judge.url, of_facts(FACTS)).status_code == 200


def test_who_is_leaving_takes_nothing_more_and_is_not_ready(start: Start) -> None:
    judge = start()
    assert httpx.get(f"{judge.url}/readyz").status_code == 200
    judge.worker.taking.leave()
    assert post(judge.url, of_facts(FACTS)).status_code == 503
    assert httpx.get(f"{judge.url}/readyz").status_code == 503
    assert httpx.get(f"{judge.url}/healthz").status_code == 200


# ------------------------------------------------------------------------------- tokens


def test_only_who_knows_a_token_may_send(start: Start) -> None:
    judge = start(tokens=Tokens([TOKEN, "another-token-of-some-length"]))
    for wrong in ("", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer", "Bearer é"):
        headers = {**PROTOBUF, "authorization": wrong.encode("latin-1")} if wrong else PROTOBUF
        assert post(judge.url, of_facts(FACTS), headers).status_code == 401
    with pytest.raises(grpc.RpcError) as error:
        call(judge.grpc, of_facts(FACTS), "wrong")
    assert error.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert judge.ledger.operations() == []

    assert post(judge.url, of_facts(FACTS), {**PROTOBUF, "authorization": f"Bearer {TOKEN}"}).status_code == 200
    call(judge.grpc, of_facts(FACTS), "another-token-of-some-length")
    assert httpx.get(f"{judge.url}/healthz").status_code == 200


def retry_info(error: grpc.RpcError) -> float | None:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for detail in Status.FromString(value).details:
                found = RetryInfo()
                if detail.Unpack(found):
                    return found.retry_delay.ToMilliseconds() / 1_000
    return None
