"""Small worlds of evidence: two of everything, so that things collide, and collisions are what the laws are about.

The profile "laws" runs 500 examples of each law, the same ones every time, so that no build fails by chance. At
Hypothesis' own 100, the law on convictions misses planted faults more often than not. To search further, with new
examples: COUNTERFOIL_LAWS=20000 pytest tests/laws
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from counterfoil.evidence import Folded, fold
from counterfoil.explain import as_record
from counterfoil.facts import FROM_INTENT, Attempt, Claim, Effect, Fact, Gap, Intent, Reported, Transport, Unreadable
from counterfoil.judge import RULES, Judgement, Rules, judge_all
from counterfoil.verdicts import Verdict

EXAMPLES = os.environ.get("COUNTERFOIL_LAWS")
settings.register_profile(
    "laws",
    max_examples=int(EXAMPLES or 500),
    deadline=None,
    derandomize=EXAMPLES is None,
    suppress_health_check=[HealthCheck.too_slow],
)

# ------------------------------------------------------------------------- facts

SECOND = 1_000_000_000
OPERATIONS = ("op-1", "op-2")


def rarely(*values: object) -> SearchStrategy:
    """Said one time in ten."""
    return st.sampled_from((None,) * 9 * len(values) + values)


def maybe(*values: object) -> SearchStrategy:
    """Said half of the time."""
    return st.sampled_from((None,) * len(values) + values)


operations = st.sampled_from(OPERATIONS)
times = st.integers(0, 4).map(lambda n: n * SECOND)
keys, scopes = st.sampled_from((None, "k1", "k1", "k2")), rarely("eu", "us")
payloads = st.sampled_from((None, None, "sha256:a", "sha256:a", "sha256:b", "sha256:b", "hmac-sha256:a"))
sources, processes, refs = rarely("declared", "tool_call_id"), rarely("p1", "p2"), st.sampled_from(("x", "y"))
calls, runs = rarely("call-1"), rarely("run-1", "run-2")
lags, lifetimes = rarely(1.0), rarely(1.0)
more_than_one = rarely(2)

intents = st.builds(
    Intent,
    operation_id=operations,
    observed_at=times,
    process=processes,
    expected_count=more_than_one,
    tool=rarely("pay", "mail"),
    side_effect=rarely(True, False),
    payload_hash=payloads,
    idempotency_key=keys,
    key_scope=scopes,
    key_ttl_s=lifetimes,
    intent_ref=maybe("order-1"),
    approved=rarely(True),
    idempotent_hint=rarely(True, False),
    hint_trusted=rarely(True),
    id_source=sources,
    run_id=runs,
)
attempts = st.builds(
    Attempt,
    operation_id=operations,
    observed_at=times,
    process=processes,
    expected_count=more_than_one,
    attempt_id=st.sampled_from(("a1", "a2", "a3")),
    transport=st.sampled_from(Transport),
    http_status=rarely(200, 202, 503),
    reported=rarely(*Reported),
    executed=rarely(True, False, False),
    proof=rarely("argument_validation", "provider_rejected", "deferred_for_approval"),
    payload_hash=payloads,
    payload_state=rarely("truncated"),
    idempotency_key=st.sampled_from((FROM_INTENT, FROM_INTENT, None, "k1", "k1", "k2")),
    key_scope=st.sampled_from((FROM_INTENT,) * 6 + (None, "eu")),
    key_ttl_s=lifetimes,
    replay=rarely(True),
    dispatch_ref=rarely("d1", "d2"),
    scope=rarely("httpx", "agent"),
    tool_call_id=calls,
    run_id=runs,
    wire_requests=rarely(2),
    attempt_no=rarely(1, 2),
    started_only=rarely(True),
    exception_event=rarely(True),
    id_source=sources,
)
effects = st.builds(
    Effect,
    operation_id=operations,
    observed_at=times,
    process=processes,
    expected_count=more_than_one,
    source=st.sampled_from(("provider_receipt", "probe", "webhook")),
    effect_ref=st.sampled_from((None, "x", "y", "x", "y")),
    count=st.sampled_from((None, 1, 0, 2)),
    authoritative=st.sampled_from((True, True, True, False)),
    settle_after_s=lags,
    stage=rarely("applied", "accepted", "dropped"),
    payload_hash=payloads,
    conforms=rarely(True, False),
    about_ref=rarely("x", "y"),
    compensates=rarely("x", "y"),
    replayed=rarely(True),
)
claims = st.builds(
    Claim, operation_id=operations, observed_at=times, expected_count=more_than_one, reported=st.sampled_from(Reported)
)
unreadables = st.builds(Unreadable, operation_id=operations, observed_at=st.just(0), field=st.just("time"))
gaps = st.builds(Gap, what=st.just("spans_dropped"), observed_at=times, process=processes)

facts = st.one_of(intents, intents, attempts, attempts, attempts, effects, effects, effects, claims, unreadables, gaps)
telemetry = st.one_of(
    st.lists(facts, max_size=8),
    st.lists(st.one_of(attempts, attempts, attempts, intents), max_size=6),
    st.lists(st.one_of(effects, effects, intents), max_size=7),
    st.lists(st.one_of(attempts, effects, claims), max_size=5),
)
ledgers = telemetry.map(fold)

# Few facts that say little, most of which accuse: what is said of convictions is tried on many.
sent = st.builds(
    Attempt,
    operation_id=operations,
    observed_at=times,
    expected_count=rarely(2),
    attempt_id=st.sampled_from(("a1", "a2", "a3", "a4")),
    transport=st.sampled_from((Transport.SUCCESS, Transport.STARTED)),
    executed=rarely(True, False),
    proof=rarely("argument_validation", "provider_rejected"),
    payload_hash=st.sampled_from((None, "sha256:a", "sha256:b", "sha256:c", "hmac-sha256:a", "hmac-sha256:b")),
    idempotency_key=st.sampled_from((FROM_INTENT, FROM_INTENT, "k1", "k1", "k2")),
    key_scope=st.sampled_from((FROM_INTENT,) * 8 + (None, "eu")),
    replay=rarely(True),
    dispatch_ref=rarely("d1"),
    scope=rarely("httpx", "agent"),
    tool_call_id=rarely("call-1"),
    run_id=st.just("run-1"),
    id_source=rarely("tool_call_id"),
)
meant = st.builds(
    Intent,
    operation_id=operations,
    observed_at=times,
    expected_count=rarely(2),
    side_effect=rarely(True, False),
    payload_hash=payloads,
    idempotency_key=keys,
    key_scope=rarely("eu"),
    intent_ref=maybe("order-1", "order-2"),
    id_source=rarely("tool_call_id"),
)
held = st.builds(
    Effect,
    operation_id=operations,
    observed_at=times,
    expected_count=rarely(2),
    source=st.just("probe"),
    effect_ref=st.sampled_from((None, "x", "y", "z")),
    count=st.sampled_from((None, 1, 0, 2)),
    authoritative=st.sampled_from((True, True, True, False)),
    payload_hash=payloads,
    compensates=rarely("x"),
    replayed=rarely(True),
)
accusations = st.one_of(
    st.lists(st.one_of(sent, sent, meant), min_size=2, max_size=7),
    st.lists(st.one_of(held, held, meant), min_size=2, max_size=7),
    st.lists(st.one_of(sent, held, meant), min_size=2, max_size=8),
)

# ------------------------------------------------------------ what is said of them


def told(folded: Folded, rules: Rules = RULES) -> dict[str, dict[str, object]]:
    """All that leaves the process: for each operation the verdict, why, what to do, one sentence and the witnesses."""
    return {name: as_record(judgement) for name, judgement in judge_all(folded, rules).items()}


def convictions(folded: Folded, rules: Rules = RULES) -> set[tuple[str, Verdict]]:
    """Who is convicted of what."""
    return {(name, verdict) for name, j in judge_all(folded, rules).items() for verdict in convicted(j)}


def convicted(judgement: Judgement) -> list[Verdict]:
    return [verdict for verdict in RULES.convictions if verdict in judgement.borne_out]


def facts_of(folded: Folded) -> list[Fact | Gap]:
    return [*chain.from_iterable(folded.operations.values()), *folded.gaps]
