"""A fact says the same whichever way it goes: out as an event and back, by a judge or by a collector's file."""

from __future__ import annotations

import json

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given

from counterfoil import names
from counterfoil.auditing.taking_in import take_in
from counterfoil.evidence import fold
from counterfoil.facts import Gap, Unreadable
from counterfoil.packed import pack
from counterfoil.serving.limits import Limits
from counterfoil.serving.parcels import Parcel, parcel_of_json, parcel_of_protobuf
from counterfoil.testing import story
from tests.cases.case import Lines
from tests.judge.sending import logged, of_facts, request
from tests.strategies import telemetry


def both_ways(sent) -> list[Parcel]:
    as_json = json.dumps(MessageToDict(sent)).encode()
    return [parcel_of_protobuf(sent.SerializeToString(), Limits()), parcel_of_json(as_json, Limits())]


@given(telemetry)
def test_what_is_sent_is_what_arrives(facts) -> None:
    for parcel in both_ways(of_facts(facts)):
        assert (fold(parcel.facts), parcel.rejected) == (fold(facts), {})


@pytest.mark.parametrize(
    "fact", [Gap(what="a queue was full", observed_at=1), Unreadable(operation_id="order-1", observed_at=0, field="x")]
)
def test_what_is_no_evidence_of_anything_arrives_as_well(fact) -> None:
    for parcel in both_ways(of_facts([fact])):
        assert parcel.facts == [fact]


def test_a_collectors_file_is_audited_by_the_same_rule_of_versions() -> None:
    known, newer = story("intent pay op=order-1; attempt success op=order-1")
    sent = request([logged(known), logged(newer, {names.FACT_VERSION: 2})])
    intake = take_in([Lines("facts", 0, json.dumps(MessageToDict(sent)).encode())])
    assert intake.skipped == 1
    assert "newer version" in intake.notes[0]
    assert len(intake.operations["order-1"]) == 2, "the fact that is known, and the doubt"


def test_a_collectors_file_holds_the_doubts_of_its_senders() -> None:
    doubt = Unreadable(operation_id="order-1", observed_at=0, field="count")
    intake = take_in([Lines("facts", 0, json.dumps(MessageToDict(of_facts([doubt]))).encode())])
    assert (intake.skipped, intake.operations) == (0, {"order-1": {pack(doubt): None}})
