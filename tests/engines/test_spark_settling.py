"""When the last stage on Spark judges: by the clock of micro-batches, and once for all that came meanwhile.

In Spark's own tester for stateful processors, which needs no JVM and whose clock is moved by hand.
"""

import json

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed; when Spark settles was left out")

from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester

from counterfoil.engines.buckets import BUCKETS, bucket_of, keys, spark_hash
from counterfoil.engines.judging import Judging
from counterfoil.engines.lines import addressed
from counterfoil.engines.parcels import (
    EVERYBODY,
    OPERATION,
    Carried,
    Parcel,
    carried,
    opened,
    packed,
    sealed,
    to_operation,
    unpacked,
)
from counterfoil.engines.times import Times
from counterfoil.ledger.judging import SECOND, Timing

ROW = Row(*Carried._fields)
BEGAN_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z, when all of this is observed."""


def parcels(*records):
    found = []
    for record in records:
        said = {"observed_at": "2026-01-01T00:00:00Z", **record}
        for name, fact in addressed([json.dumps(said)]):
            kind, to = (OPERATION, to_operation(name)) if name else (EVERYBODY, EVERYBODY)
            found.append(ROW(0, kind, sealed([Parcel(to, name, fact)])))
    return found


def receipt(ref, operation="order-7"):
    return {"kind": "effect", "operation_id": operation, "source": "webhook", "authoritative": True, "effect_ref": ref}


def lost(operation="order-7"):
    said = {"attempt_id": "a1", "transport": "timeout", "payload_hash": "sha256:" + "0" * 64}
    return {"kind": "attempt", "operation_id": operation, **said}


def answered(operation):
    return {"kind": "attempt", "operation_id": operation, "attempt_id": "a1", "transport": "success"}


@pytest.fixture
def judging():
    tester = TwsTester(Judging(Times(Timing(5 * SECOND, 600 * SECOND))), timeMode="ProcessingTime")
    tester.setProcessingTime(BEGAN_MS)
    return tester


def words(rows):
    return [(row["operation_id"], row["revision"], row["verdict"]) for row in rows]


def test_an_operation_is_judged_once_when_it_has_been_quiet(judging):
    assert judging.test(0, parcels(receipt("ch_1"))) == []
    assert judging.test(0, parcels(receipt("ch_2"))) == []
    assert judging.setProcessingTime(BEGAN_MS + 4_000) == []
    assert words(judging.setProcessingTime(BEGAN_MS + 6_000)) == [("order-7", 1, "duplicate_effect")]
    assert judging.setProcessingTime(BEGAN_MS + 3_600_000) == []


def test_what_comes_late_revises_after_another_while(judging):
    judging.test(0, parcels(receipt("ch_1")))
    first = words(judging.setProcessingTime(BEGAN_MS + 6_000))
    judging.test(0, parcels(receipt("ch_2")))
    assert first[0][:2] == ("order-7", 1)
    assert words(judging.setProcessingTime(BEGAN_MS + 12_000)) == [("order-7", 2, "duplicate_effect")]


def test_what_comes_after_something_that_changed_nothing_revises_too(judging):
    judging.test(0, parcels(receipt("ch_1")))
    assert len(judging.setProcessingTime(BEGAN_MS + 6_000)) == 1
    judging.test(0, parcels(receipt("ch_1")))
    assert judging.setProcessingTime(BEGAN_MS + 12_000) == []
    judging.test(0, parcels(receipt("ch_2")))
    assert words(judging.setProcessingTime(BEGAN_MS + 18_000)) == [("order-7", 2, "duplicate_effect")]


def test_what_comes_while_doubt_waits_for_its_deadline_does_not_wait_so_long(judging):
    judging.test(0, parcels(lost()))
    assert words(judging.setProcessingTime(BEGAN_MS + 6_000)) == [("order-7", 1, "indeterminate")]
    judging.test(0, parcels(receipt("ch_1")))
    rows = judging.setProcessingTime(BEGAN_MS + 12_000)
    assert [row[1] for row in words(rows)] == [2]
    assert rows[0]["verdict"] != "indeterminate"


def test_doubt_becomes_work_at_its_deadline(judging):
    judging.test(0, parcels(lost()))
    early = judging.setProcessingTime(BEGAN_MS + 6_000)
    overdue = judging.setProcessingTime(BEGAN_MS + 601_000)
    assert [row["severity"] for row in (*early, *overdue)] == ["none", "ticket"]


def test_a_gap_leaves_doubt_about_every_operation_of_the_bucket_and_later_ones(judging):
    judging.test(0, parcels(answered("order-1"), answered("order-2")))
    before = judging.setProcessingTime(BEGAN_MS + 6_000)
    judging.test(0, parcels({"kind": "gap", "what": "dropped spans"}))
    judging.test(0, parcels(answered("order-3")))
    after = judging.setProcessingTime(BEGAN_MS + 12_000)
    assert {row["reason"] for row in before} == {"unverified"}
    assert {(row["operation_id"], row["reason"]) for row in after} == {
        (name, "telemetry_gap") for name in ("order-1", "order-2", "order-3")
    }


def test_one_timer_is_for_all_that_are_due_in_a_second(judging):
    names = [f"order-{number}" for number in range(50)]
    judging.test(0, parcels(*(receipt("ch_1", name) for name in names)))
    assert len(judging.peekMapState("due", 0)) == 1
    assert {row["operation_id"] for row in judging.setProcessingTime(BEGAN_MS + 6_000)} == set(names)
    assert judging.peekMapState("due", 0) == {}


def test_parcels_for_one_bucket_travel_as_one_row_and_come_out_as_they_went_in():
    sent = [Parcel(f"o{n}", f"odd {n}\n", b'["k",%d]' % n, ["i1", "i2"][: n % 3]) for n in range(500)]
    rows = list(carried(sent))
    assert {(row.bucket, row.kind) for row in rows} == {(key, "o") for key in keys()}
    assert len(rows) == BUCKETS
    assert sorted(one for row in rows for one in opened(row.parcels)) == sorted(sent)


def test_facts_of_many_operations_travel_as_one_text():
    facts = {'odd "name"\n': b'["k",1]\n["k",2]', "": b'["k",3]', "plain": b""}
    assert sorted(unpacked([packed(facts)])) == [("", b'["k",3]'), *[('odd "name"\n', b'["k",%d]' % n) for n in (1, 2)]]


@pytest.mark.parametrize("partitions", [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96])
def test_every_partition_has_as_many_buckets(partitions):
    held = [spark_hash(key) % partitions for key in keys()]
    assert {held.count(one) for one in range(partitions)} == {BUCKETS // partitions}


def test_an_address_always_has_the_same_bucket():
    assert {bucket_of(f"o{number}") for number in range(5_000)} == set(keys())
    assert bucket_of("order-7") == bucket_of("order-7")
