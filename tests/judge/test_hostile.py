"""Whatever is sent: the answer is never an error of ours, and the judge goes on."""

from __future__ import annotations

import gzip
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil import names
from counterfoil.testing import story
from tests.judge.conftest import Within
from tests.judge.sending import PROTOBUF, of_facts, post

ANSWERS = {200, 400, 413, 415}
fuzzing = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WHOLE = of_facts(story("intent pay op=order-1; attempt success op=order-1; receipt r op=order-1")).SerializeToString()
JSON = {"content-type": "application/json"}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
names_of_ours = st.sampled_from(
    [names.FACT_RECORD, names.FACT_VERSION, names.OPERATION_ID, "event.name", "kind", "observed_at", "operation_id"]
)
records = st.dictionaries(
    st.sampled_from(["kind", "operation_id", "observed_at", "attempt_id", "effect_ref", "count", "transport", "hints"]),
    values | st.sampled_from(["intent", "attempt", "effect", "gap", "unreadable", "2025-01-01T00:00:00Z", "order-1"]),
)
any_values = (
    values
    | st.fixed_dictionaries({"stringValue": records.map(json.dumps) | values})
    | st.dictionaries(st.sampled_from(["intValue", "arrayValue", "kvlistValue", "boolValue"]), values)
)
attributes = st.lists(st.fixed_dictionaries({"key": names_of_ours | values, "value": any_values}) | values, max_size=4)
logs = st.fixed_dictionaries({"eventName": st.just("counterfoil.fact") | values, "attributes": attributes | values})
requests = st.fixed_dictionaries(
    {
        "resourceLogs": st.lists(
            st.fixed_dictionaries(
                {"scopeLogs": st.lists(st.fixed_dictionaries({"logRecords": st.lists(logs, max_size=3)}), max_size=2)}
            )
            | values,
            max_size=2,
        )
        | values
    }
)


@fuzzing
@given(sent=requests | values)
def test_json_of_any_shape(within: Within, sent: object) -> None:
    answer = post(within.url, json.dumps(sent).encode(), JSON)
    assert answer.status_code in ANSWERS, answer.text


@fuzzing
@given(at=st.integers(0, len(WHOLE) - 1), put=st.binary(max_size=6), cut=st.integers(0, 40))
def test_protobuf_with_a_hole_in_it(within: Within, at: int, put: bytes, cut: int) -> None:
    answer = post(within.url, WHOLE[:at] + put + WHOLE[at + cut :], PROTOBUF)
    assert answer.status_code in ANSWERS


@fuzzing
@given(body=st.binary(max_size=200), packed=st.booleans())
def test_bytes_of_any_kind(within: Within, body: bytes, packed: bool) -> None:
    for headers in (PROTOBUF, JSON):
        answer = post(
            within.url,
            gzip.compress(body) + body if packed else body,
            {**headers, "content-encoding": "gzip" if packed else "identity"},
        )
        assert answer.status_code in ANSWERS


def test_the_judge_has_had_no_error_of_its_own(within: Within) -> None:
    assert post(within.url, WHOLE).status_code == 200
    assert within.worker.judging.is_alive
    refused = sum(within.value("counterfoil.errors", error_type=f"refused:{why}") for why in ("malformed", "too_large"))
    assert within.value("counterfoil.errors") == refused
