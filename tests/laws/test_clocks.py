"""Clocks of hosts that are minutes apart: what each process says is shifted as a whole, and the verdicts stay.

Two things rest on a clock: how long a provider remembers a key, and how far a target lags. For keys, the distance that
two clocks may be apart counts for neither side, so that nobody is convicted within it. For absence the operator's
``settle_after`` must cover it, as it does here. Two more are decided by the earlier time where nothing else does, and
left out here: which attempt a replay repeats, and which of two operations owns a reference that both show.
"""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from counterfoil.dispatch import MAX_SKEW_S
from counterfoil.evidence import fold
from counterfoil.facts import PROBE, Attempt, Effect, Gap, Intent
from counterfoil.holdings import named
from counterfoil.judge import judge_all
from counterfoil.rules import CONVICTIONS
from counterfoil.testing import story
from counterfoil.verdicts import Finding, Outcome
from tests.strategies import accusations, telemetry

MINUTE = 60 * 1_000_000_000
HOSTS = ("agent", "resumed", "webhook")
skews = st.fixed_dictionaries({host: st.integers(-5, 5) for host in HOSTS})
"""Minutes that each clock is wrong; two of them are ten apart at most."""

worlds = st.one_of(telemetry, accusations)


def spread(facts, data):
    """One host means it, each attempt is one host's, and any of them may look."""
    anybody = st.sampled_from(HOSTS)
    sender = {"a1": "agent", "a2": "resumed", "a3": "resumed"}
    return [
        replace(
            fact,
            process="agent"
            if isinstance(fact, Intent)
            else sender[fact.attempt_id]
            if isinstance(fact, Attempt)
            else data.draw(anybody),
        )
        for fact in facts
        if not isinstance(fact, Gap)
    ]


def shifted(facts, skew):
    return [replace(fact, observed_at=fact.observed_at + skew[fact.process] * MINUTE) for fact in facts]


def lagging(fact):
    """The same fact where the operator says that the target, or the clocks, may be ten minutes late."""
    if isinstance(fact, Effect) and fact.count == 0:
        return replace(fact, source=PROBE, settle_after_s=MAX_SKEW_S)
    return replace(fact, settle_after_s=MAX_SKEW_S) if isinstance(fact, Intent) else fact


def comparable(facts):
    """Without what the earlier time decides, and with what the operator says of each operation."""
    facts = [lagging(fact) for fact in facts]
    meant = {fact.operation_id for fact in facts if isinstance(fact, Intent)}
    assume(all(fact.operation_id in meant for fact in facts))
    assume(not any(isinstance(fact, Attempt) and fact.replay for fact in facts))
    shown = {(named(fact), fact.operation_id) for fact in facts if isinstance(fact, Effect) and named(fact)}
    assume(len({ref for ref, _ in shown}) == len(shown))
    assume(len({fact.scope for fact in facts if isinstance(fact, Attempt)}) < 2)
    return facts


@given(worlds, skews, st.data())
def test_no_conviction_comes_or_goes_with_a_clock(sent, skew, data):
    facts = comparable(spread(sent, data))
    before, after = judge_all(fold(facts)), judge_all(fold(shifted(facts, skew)))
    for name, judgement in before.items():
        for conviction in CONVICTIONS:
            assert (conviction in judgement.borne_out) == (conviction in after[name].borne_out)


@given(worlds, skews, st.data())
def test_no_clock_makes_absence_of_presence(sent, skew, data):
    """What is said within the operator's ten minutes has no order, so that absence is never taken for later."""
    facts = [
        replace(fact, process="webhook" if isinstance(fact, Effect) else "agent")
        for fact in comparable(spread(sent, data))
    ]
    before, after = judge_all(fold(facts)), judge_all(fold(shifted(facts, skew)))
    for name, judgement in before.items():
        if judgement.outcome is Outcome.INDETERMINATE:
            assert after[name].outcome not in (Outcome.FALSE_SUCCESS, Outcome.VERIFIED_NOT_APPLIED)


@given(st.integers(-5, 5), st.integers(-5, 5), st.sampled_from((20, 3_600, 86_400)))
def test_a_key_is_forgotten_or_known_whoever_looks_at_the_clock(agent, resumed, lifetime):
    """Resumed elsewhere within the key's lifetime, and a day after its end."""
    skew = {"agent": agent, "resumed": resumed}
    for later, forgotten in ((10, False), (lifetime + 86_400, True)):
        facts = story(
            f"intent pay key=k1 key_ttl_s={lifetime} process=agent at=0; attempt timeout process=agent at=1;"
            f"attempt success process=resumed at={1 + later}"
        )
        [judgement] = judge_all(fold(shifted(facts, skew))).values()
        assert (Finding.UNSAFE_RETRY in judgement.findings) == forgotten


def test_within_the_margin_a_key_is_not_taken_for_forgotten():
    """One clock may tell; two that may be ten minutes apart may not."""
    for process, forgotten in (("agent", True), ("resumed", False)):
        facts = story(
            f"attempt timeout key=k1 key_ttl_s=20 process=agent at=1; attempt success key=k1 process={process}"
            f" at={MAX_SKEW_S}"
        )
        [judgement] = judge_all(fold(facts)).values()
        assert (Finding.UNSAFE_RETRY in judgement.findings) == forgotten
