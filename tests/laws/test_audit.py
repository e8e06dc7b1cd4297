"""The audit keeps facts packed and judges most operations alone; neither may show in what it says."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.evidence import fold
from counterfoil.facts import Gap
from counterfoil.judge import judge_all
from counterfoil.packed import pack, unpack
from tests.strategies import accusations, telemetry


def taken_in(facts):
    intake = Intake()
    for fact in facts:
        intake.add(None if isinstance(fact, Gap) else fact.operation_id, pack(fact))
    return intake


@given(accusations | telemetry)
def test_a_packed_fact_comes_out_as_it_went_in(sent):
    for fact in sent:
        out = unpack(getattr(fact, "operation_id", None), pack(fact))
        assert (type(out), out, hash(out), repr(out)) == (type(fact), fact, hash(fact), repr(fact))
        with pytest.raises(FrozenInstanceError):
            out.observed_at = 0


@given(accusations | telemetry)
def test_the_audit_says_what_the_judge_says_who_sees_all_at_once(sent):
    judged = {judgement.operation.operation_id: judgement for judgement in judgements(taken_in(sent))}
    all_at_once = judge_all(fold(sent))
    assert list(judged) == sorted(all_at_once)
    for name, judgement in judged.items():
        other = all_at_once[name]
        assert (judgement.verdict, judgement.reason) == (other.verdict, other.reason)
        assert judgement.borne_out == other.borne_out
