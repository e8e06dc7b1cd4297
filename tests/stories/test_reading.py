"""What a record says in other words, and what its reader makes of words that it doesn't know."""

import pytest

from counterfoil.evidence import fold
from counterfoil.facts import Effect, Transport
from counterfoil.judge import judge_all
from counterfoil.reading.evidence import Unusable, fact_from, unlisted
from counterfoil.records import record_of
from counterfoil.testing import judged, story

CAMEL = {"operationId": "op-1", "observedAt": "1970-01-01T00:00:00Z"}
SNAKE = {"operation_id": "op-1", "observed_at": "1970-01-01T00:00:00Z"}


def test_result_is_transport():
    attempt = fact_from({"kind": "attempt", **CAMEL, "attemptId": "a1", "result": "timeout"})
    assert attempt.transport is Transport.TIMEOUT


def test_an_effects_payload_hash_is_the_request_that_it_answers():
    spelled = [
        fact_from({"kind": "effect", **SNAKE, "source": "probe", name: "sha256:a"})
        for name in ("payload_hash", "matches_payload_hash", "payloadHash", "request_hash")
    ]
    assert {effect.payload_hash for effect in spelled} == {"sha256:a"}


def test_a_hash_in_capitals_is_the_same_hash():
    digits = "0123456789abcdef" * 4
    plain, capitals = (
        fact_from({"kind": "attempt", **SNAKE, "attempt_id": "a1", "payload_hash": payload})
        for payload in (f"sha256:{digits}", f"sha256:{digits.upper()}")
    )
    assert plain == capitals


@pytest.mark.parametrize(
    "time",
    ["9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00.5+00:01", "9999-12-31T23:59:60Z", "0000-01-01T00:00:00Z"],
)
def test_a_time_that_could_not_be_written_down_again_is_not_read(time):
    with pytest.raises(Unusable):
        fact_from({"kind": "claim", **SNAKE, "reported": "success", "observed_at": time})


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z"])
def test_the_first_and_the_last_time_are_written_down_as_they_were_read(time):
    claim = fact_from({"kind": "claim", **SNAKE, "reported": "success", "observed_at": time})
    assert record_of(claim)["observed_at"] == time


def test_a_published_effect_that_says_less_is_single_and_authoritative():
    """A record with camelCase names may omit `source`, and an effect there without `authoritative` and `count` is
    `authoritative: true, count: 1`."""
    effect = fact_from({"kind": "effect", **CAMEL, "effectRef": "pay_1"})
    assert isinstance(effect, Effect)
    assert (effect.authoritative, effect.count) == (True, 1)
    assert judge_all(fold([effect]))["op-1"].verdict == "verified_applied"


@pytest.mark.parametrize("said", [{"authoritative": False}, {"count": 0}])
def test_a_published_effect_that_says_more_is_taken_at_its_word(said):
    effect = fact_from({"kind": "effect", **CAMEL, "effectRef": "pay_1", **said})
    assert effect.authoritative is False


def test_elsewhere_an_absent_authoritative_is_false():
    effect = fact_from({"kind": "effect", **SNAKE, "source": "probe", "effect_ref": "pay_1"})
    assert judge_all(fold([effect]))["op-1"].verdict == "indeterminate"


def test_unlisted_fields_are_ignored_and_counted_apart():
    plain = {"kind": "effect", **SNAKE, "source": "probe", "effect_ref": "pay_1", "authoritative": True}
    more = plain | {"colour": "red", "payload_raw": "{}"}
    assert fact_from(more) == fact_from(plain)
    assert (unlisted(plain), unlisted(more)) == (0, 2)


def test_equal_times_are_ordered_by_canonical_json():
    """Which of two looks of one moment is the newest must not depend on which arrived first."""
    there, gone = story("probe pay_1 count=1 at=5; probe pay_1 count=0 at=5")
    one, other = (judge_all(fold(facts))["op-1"] for facts in ([there, gone], [gone, there]))
    assert (one.verdict, one.gone) == (other.verdict, other.gone)
    assert judged("probe 1 at=5; probe 0 at=5").verdict == judged("probe 0 at=5; probe 1 at=5").verdict


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("atempt success", "unknown kind"),
        ("attempt succes", "'succes' is not a valid Transport"),
        ("receipt pay_1 replyed", "'replyed' is no flag"),
        ("intent pay colour=red", "a field that intent doesn't have"),
        ("intent pay at=soon", "at must be a number of seconds"),
        ("claim", "reported is missing"),
    ],
)
def test_a_story_with_a_slip_is_refused_with_the_line(text, what):
    with pytest.raises(ValueError) as refused:
        story(f"intent pay; {text}")
    assert what in str(refused.value)
    assert repr(text) in str(refused.value)


def test_a_story_is_asked_about_an_operation_that_it_tells_of():
    with pytest.raises(ValueError, match="no fact is about 'op-9', only about"):
        judged("intent pay", "op-9")
