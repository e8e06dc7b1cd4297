"""Telemetry of a real SDK, written as the collector's file exporter writes it, and read back by the audit."""

import base64
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Tracer, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode

from counterfoil import names
from counterfoil.demo.jsonlines import as_otlp_json
from counterfoil.facts import Attempt, Effect, Intent
from counterfoil.records import fact_id, record_of
from tests.shell.audit import Audit, audit, audit_of, charged_twice, line

Json = dict[str, Any]
Batch = Sequence[ReadableSpan]


def exported(work: Callable[[Tracer], None]) -> list[ReadableSpan]:
    """The spans that some work leaves, children before their parents, as they are exported."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "shop", "service.instance.id": "w1"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    work(provider.get_tracer("pydantic-ai"))
    provider.shutdown()
    return list(exporter.get_finished_spans())


def charge(tracer: Tracer, call: str, operation: str, posts: int, refs: Sequence[str] = ()) -> None:
    """A tool call that posts some times, all but the last without an answer, and shows what the provider then holds."""
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "charge_card", "gen_ai.tool.call.id": call}
    said = {"counterfoil.operation.id": operation, "gen_ai.tool.call.result": "done"}
    with tracer.start_as_current_span("execute_tool charge_card", attributes=tool | said):
        for number in range(posts):
            post = {"http.request.method": "POST", "url.full": "https://bank.example/charges"}
            with tracer.start_as_current_span("POST", kind=SpanKind.CLIENT, attributes=post) as span:
                if number + 1 < posts:
                    span.set_attribute("error.type", "ReadTimeout")
                    span.set_status(Status(StatusCode.ERROR))
                else:
                    span.set_attribute("http.response.status_code", 201)
        for ref in refs:
            effect = {"counterfoil.effect.ref": ref, "counterfoil.effect.authoritative": True}
            with tracer.start_as_current_span("receipt", attributes=said | effect):
                pass


def two_charges(tracer: Tracer) -> None:
    with tracer.start_as_current_span("agent run"):
        charge(tracer, "call-1", "op-once", 1, ["ch_1"])
        charge(tracer, "call-2", "op-twice", 2, ["ch_2", "ch_3"])


SPANS = exported(two_charges)
VERDICTS = {"op-once": "verified_applied", "op-twice": "duplicate_effect"}


def request(spans: Batch) -> Json:
    return as_otlp_json(encode_spans(spans))


def verdicts(told: Audit) -> dict[str, str]:
    assert told.exit_code == 0, told.stderr
    return {name: one["verdict"] for name, one in told.json["operations"].items()}


def test_spans_are_read_into_the_verdicts_of_their_operations() -> None:
    told = audit_of(request(SPANS))
    assert verdicts(told) == VERDICTS
    assert told.json["operations"]["op-twice"]["attempts"] >= 2
    assert (told.json["skipped"], told.stderr) == (0, "")


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_spans_in_lines_and_of_lines_in_files_does_not_matter(seed: int, tmp_path: Any) -> None:
    spans = [*SPANS, *SPANS]
    random.Random(seed).shuffle(spans)
    cut = len(spans) // 3
    for number, part in enumerate((spans[:cut], spans[cut:])):
        (tmp_path / f"{number}.json").write_bytes(b"\n".join(line(request([span])) for span in part))
    assert audit(tmp_path, "--json").stdout == audit_of(request(SPANS)).stdout


def test_of_a_span_that_ended_in_two_processes_the_earlier_end_counts_whichever_arrived_first() -> None:
    def ended(at: int, *said: tuple[str, Json]) -> Json:
        said_of_all = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay", names.OPERATION_ID: "op-1"}
        common = [{"key": name, "value": {"stringValue": value}} for name, value in said_of_all.items()]
        span = {
            "traceId": "1" * 32,
            "spanId": "2" * 16,
            "name": "execute_tool pay",
            "startTimeUnixNano": "1767225600000000000",
            "endTimeUnixNano": str(1767225600000000000 + at),
            "attributes": common + [{"key": name, "value": value} for name, value in said],
        }
        return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "pydantic-ai"}, "spans": [span]}]}]}

    first, second = ended(1), ended(2, (names.EXECUTED, {"boolValue": False}))
    told = audit_of(first).json["operations"]["op-1"]
    assert told["reason"] == "ambiguous"
    for both in ((first, second), (second, first), (second, first, second)):
        assert audit_of(*both).json["operations"]["op-1"] == told


def test_the_spellings_of_other_writers_are_read_too() -> None:
    """Enums by name, ids in base64 and numbers as numbers are what other protobuf libraries write."""

    def respell(value: Any) -> Any:
        if isinstance(value, list):
            return [respell(one) for one in value]
        if not isinstance(value, dict):
            return value
        spelled = {name: respell(inner) for name, inner in value.items()}
        for name in {"traceId", "spanId", "parentSpanId"} & spelled.keys():
            spelled[name] = base64.b64encode(bytes.fromhex(spelled[name])).decode()
        if "startTimeUnixNano" in spelled:
            spelled["kind"] = f"SPAN_KIND_{SpanKind(spelled['kind'] - 1).name}"
            spelled["startTimeUnixNano"] = int(spelled["startTimeUnixNano"])
        if "code" in spelled:
            spelled["code"] = f"STATUS_CODE_{StatusCode(spelled['code']).name}"
        return spelled

    assert audit_of(respell(request(SPANS))).stdout == audit_of(request(SPANS)).stdout


def test_evidence_and_telemetry_may_stand_in_one_file() -> None:
    receipt = {
        "kind": "effect",
        "operation_id": "op-once",
        "effect_ref": "ch_9",
        "source": "webhook",
        "authoritative": True,
        "observed_at": "2026-01-01T00:00:00Z",
    }
    told = audit_of(receipt, request(SPANS), *charged_twice("op-2"))
    assert verdicts(told) == {"op-once": "duplicate_effect", "op-twice": "duplicate_effect", "op-2": "duplicate_effect"}


def test_metrics_and_other_logs_are_nobody_s_evidence() -> None:
    metrics = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "counterfoil.verdicts"}]}]}]}
    told = audit_of(metrics, logs([{"eventName": "user.login", "attributes": attributes({"kind": "intent"})}]))
    assert (told.exit_code, told.json) == (0, {"operations": {}, "histories": {}, "skipped": 0, "facts": 0} | SPARE)


def test_our_own_verdict_spans_are_not_read_back() -> None:
    ours = request(SPANS)
    for resource in ours["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            scope["scope"]["name"] = "counterfoil"
    assert audit_of(ours).json["operations"] == {}


# -------------------------------------------------------------------------- facts

SPARE = {"unlisted_fields": 0}
NOON = 1_767_268_800_000_000_000
FACTS = [
    Intent(operation_id="op-f", observed_at=NOON, tool="send_email"),
    Attempt(operation_id="op-f", observed_at=NOON + 1, attempt_id="a"),
    Effect(operation_id="op-f", observed_at=NOON + 2, source="probe", effect_ref="m_1", authoritative=True),
]


def attributes(values: dict[str, object]) -> list[Json]:
    def spelled(value: object) -> Json:
        kind = {bool: "boolValue", int: "intValue", str: "stringValue"}[type(value)]
        return {kind: str(value) if kind == "intValue" else value}

    return [{"key": name, "value": spelled(value)} for name, value in values.items() if value is not None]


def logs(records: list[Json]) -> Json:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def whole(fact: Intent | Attempt | Effect) -> Json:
    """As the fleet's fact events carry it: one text."""
    said = {"counterfoil.operation.id": fact.operation_id, "counterfoil.fact.id": fact_id(fact)}
    record = {"counterfoil.fact.record": json.dumps(record_of(fact))}
    return {"eventName": "counterfoil.fact", "attributes": attributes({**said, **record})}


def by_field(fact: Intent | Attempt | Effect) -> Json:
    said = json.loads(json.dumps(record_of(fact))) | {"event.name": "counterfoil.fact"}
    return {"attributes": attributes(said)}


@pytest.mark.parametrize("spelled", [whole, by_field])
def test_facts_that_travel_as_log_events_are_facts(spelled: Callable[..., Json]) -> None:
    told = audit_of(logs([spelled(fact) for fact in FACTS]), *map(record_of, FACTS))
    assert verdicts(told) == {"op-f": "verified_applied"}
    assert (told.json["facts"], told.json["skipped"]) == (3, 0)


def test_one_bad_fact_costs_itself_and_not_its_neighbours() -> None:
    bad = [
        {"eventName": "counterfoil.fact", "attributes": attributes({"counterfoil.fact.record": "{"})},
        {"eventName": "counterfoil.fact", "attributes": attributes({"counterfoil.fact.record": '{"kind":"effect"}'})},
        {"eventName": "counterfoil.fact", "attributes": 7},
    ]
    told = audit_of(logs([*map(whole, FACTS[:2]), *bad, whole(FACTS[2])]))
    assert verdicts(told) == {"op-f": "verified_applied"}
    assert (told.json["facts"], told.json["skipped"]) == (3, 3)


# ---------------------------------------------------------------------- bad spans

BAD_SPANS: dict[str, object] = {
    "no ids": {"name": "x"},
    "ids of a wrong length": {"traceId": "00", "spanId": "1"},
    "an id that is no text": {"traceId": 1, "spanId": 2},
    "a time that is no number": {"traceId": "1" * 32, "spanId": "1" * 16, "startTimeUnixNano": "soon"},
    "a time before all times": {"traceId": "1" * 32, "spanId": "1" * 16, "endTimeUnixNano": -1},
    "attributes that are no list": {"traceId": "1" * 32, "spanId": "1" * 16, "attributes": {"a": 1}},
    "an attribute that is no integer": {
        "traceId": "1" * 32,
        "spanId": "1" * 16,
        "attributes": [{"key": "a", "value": {"intValue": "many"}}],
    },
}


@pytest.mark.parametrize("bad", BAD_SPANS.values(), ids=list(BAD_SPANS))
def test_one_bad_span_costs_itself_and_not_its_neighbours(bad: Json) -> None:
    both = request(SPANS)
    both["resourceSpans"][0]["scopeSpans"][0]["spans"].insert(0, bad)
    told = audit_of(both)
    assert verdicts(told) == VERDICTS
    assert told.json["skipped"] == 1
    assert told.stderr.startswith("skipped -:1: OTLP: ")


@pytest.mark.parametrize(
    "broken",
    [{"resourceSpans": 1}, {"resourceSpans": [1]}, {"resourceSpans": [{"scopeSpans": "x"}]}, {"resourceLogs": {}}],
)
def test_a_request_of_another_shape_is_skipped(broken: Json) -> None:
    told = audit_of(broken, request(SPANS))
    assert verdicts(told) == VERDICTS
    assert told.json["skipped"] == 1


def test_spans_whose_parents_go_round_in_a_circle_are_read() -> None:
    both = request(SPANS)
    ring = [
        {"traceId": "1" * 32, "spanId": f"{n:016x}", "parentSpanId": f"{n % 3 + 1:016x}", "startTimeUnixNano": "5"}
        for n in (1, 2, 3)
    ]
    both["resourceSpans"][0]["scopeSpans"][0]["spans"] += ring
    assert verdicts(audit_of(both)) == VERDICTS


def test_a_circle_of_parents_tells_the_same_in_every_order() -> None:
    """Which of them is the root nobody can know; the order of arrival must not decide it."""
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay"}
    named = {2: {names.OPERATION_ID: "op-1"}, 1: {names.IDEMPOTENCY_KEY: "k1"}}
    ring = [
        {
            "traceId": "1" * 32,
            "spanId": f"{n:016x}",
            "parentSpanId": f"{3 - n:016x}",
            "name": "execute_tool pay",
            "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in (said | named[n]).items()],
        }
        for n in (1, 2)
    ]
    one, other = (
        audit_of({"resourceSpans": [{"scopeSpans": [{"scope": {"name": "pydantic-ai"}, "spans": spans}]}]}).json
        for spans in (ring, ring[::-1])
    )
    assert one == other
    assert one["operations"]
