"""Laws of the audit's reader: whatever is in a file, it is read to its end, and no conviction comes out of garbage."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.auditing.judging import judgements
from counterfoil.auditing.replays import history_judgements
from counterfoil.auditing.told import history_record, told
from counterfoil.config import Config
from counterfoil.reading.traces import BROKE
from counterfoil.verdicts import Finding, Outcome
from tests.cases.case import intake_of
from tests.shell.audit import charged_once, line

CONVICTIONS = {Outcome.DUPLICATE_EFFECT, Outcome.FALSE_SUCCESS, *Finding}
EXAMPLES = settings(max_examples=200, deadline=None, derandomize=True)


def one_of_these(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words.split())


NAMES = one_of_these("""
    kind operation_id operationId observed_at attempt_id effect_ref source count authoritative transport reported
    payload_hash idempotency_key history_id messages parts hints what process expected_count http_status
    resourceSpans scopeSpans spans resource scope attributes key value traceId spanId parentSpanId startTimeUnixNano
    endTimeUnixNano status code events name resourceLogs scopeLogs logRecords eventName resourceMetrics
""")
WORDS = one_of_these("""
    intent attempt effect claim gap history op-1 success timeout error probe counterfoil.operation.id gen_ai.tool.name
    counterfoil.effect.ref counterfoil.fact execute_tool 2026-01-01T00:00:00Z 1767225600000000000
    00000000000000000000000000000001 0000000000000001
""")
SCALARS = st.one_of(
    WORDS, st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec=None), max_size=20)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=5), inner, max_size=6),
    max_leaves=10,
)
RECORDS = st.dictionaries(NAMES, SCALARS | JSON, max_size=8)
SPANS = st.dictionaries(
    st.sampled_from(["traceId", "spanId", "parentSpanId", "attributes", "name", "startTimeUnixNano", "kind", "status"]),
    JSON,
)
TELEMETRY = st.builds(
    lambda spans, logs: {
        "resourceSpans": [{"scopeSpans": [{"spans": spans}]}],
        "resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}],
    },
    st.lists(SPANS, max_size=2),
    st.lists(RECORDS, max_size=2),
)


def verdicts_of(*lines: bytes) -> set[object]:
    """Every verdict, outcome and finding on an operation; everything is told as well, since telling may break too."""
    intake = intake_of(lines)
    assert [note for note in intake.notes if "could not be read" in note] == []  # a reader broke
    assert BROKE not in intake.spilled
    said: set[object] = set()
    for judged in judgements(intake):
        json.dumps(told(judged, 0, Config()).record())
        said |= {judged.verdict, judged.outcome, *judged.findings}
    for history in history_judgements(intake):
        json.dumps(history_record(history))
    return said


@EXAMPLES
@given(st.lists(st.binary(max_size=200), max_size=5))
def test_bytes_are_read_to_their_end_and_say_nothing(lines: list[bytes]) -> None:
    assert verdicts_of(*lines) <= {Outcome.INDETERMINATE}


@EXAMPLES
@given(st.lists(RECORDS | TELEMETRY | JSON, max_size=3))
def test_json_of_any_shape_is_read_to_its_end(records: list[object]) -> None:
    verdicts_of(*(json.dumps(record).encode("utf-8", "surrogatepass") for record in records))


@EXAMPLES
@given(st.data())
def test_a_line_cut_off_anywhere_convicts_nobody(data: st.DataObject) -> None:
    lines = [line(record) for record in charged_once()]
    cut = [one[: data.draw(st.integers(0, len(one)))] for one in lines]
    assert verdicts_of(*lines, *cut) == {Outcome.VERIFIED_APPLIED}
    assert not verdicts_of(*cut) & CONVICTIONS


@EXAMPLES
@given(st.data())
def test_a_value_of_the_wrong_type_convicts_nobody(data: st.DataObject) -> None:
    records = [dict(record) for record in charged_once()]
    record = data.draw(st.sampled_from(records))
    name = data.draw(st.sampled_from(sorted(record)))
    record[name] = data.draw(
        st.one_of(st.integers(), st.floats(), st.booleans(), st.lists(JSON, max_size=2), st.dictionaries(NAMES, JSON))
    )
    assert not verdicts_of(*map(line, records)) & CONVICTIONS
