"""Small worlds of evidence: two of everything, so that things collide, and collisions are what the laws are about.

The profile "laws" runs 500 examples of each law, the same ones every time, so that no build fails by chance. At
Hypothesis' own 100, the law on convictions misses planted faults more often than not. To search further, with new
examples: LAWS_EXAMPLES=20000 pytest tests/laws. The profile "unshrunk" says only whether a law holds.
"""

import os
from collections.abc import Iterable
from itertools import chain, product

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from counterfoil.evidence import Folded, fold
from counterfoil.explain import as_record
from counterfoil.facts import FROM_INTENT, Attempt, Claim, Effect, Fact, Gap, Intent, Reported, Transport, Unreadable
from counterfoil.judge import RULES, Judgement, Rules, judge_all
from counterfoil.reading.hashing import fingerprint
from counterfoil.testing import story
from counterfoil.verdicts import Verdict

EXAMPLES = os.environ.get("LAWS_EXAMPLES")
settings.register_profile(
    "laws",
    max_examples=int(EXAMPLES or 500),
    deadline=None,
    derandomize=EXAMPLES is None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("unshrunk", settings.get_profile("laws"), phases=(Phase.generate,), database=None)

# ------------------------------------------------------------------------- facts

SECOND = 1_000_000_000
OPERATIONS = ("op-1", "op-2")
K1, K2 = fingerprint("k1"), fingerprint("k2")
KEYS = (None, K1, K1, K2)
HASHES = (None, "sha256:a", "sha256:a", "sha256:b", "sha256:b", "hmac-sha256:a")
MORE = {"expected_count": 2}  # fields that a fact may say beside the usual ones
NAMED_BY_CALL = {"id_source": "tool_call_id"}
ONE_PROCESS, ANOTHER = {"process": "p1"}, {"process": "p2"}

Fields = dict[str, object]


def facts_like(kind: type[Fact], usual: dict[str, Iterable[object]], *rarer: Fields) -> SearchStrategy[Fact]:
    """Facts with the usual fields, and up to two of the rarer things that such a fact may say.

    All combinations of the usual ones are one choice: a choice less is time for more examples.
    """
    fields = {"operation_id": OPERATIONS, "observed_at": range(0, 4 * SECOND, SECOND)} | usual
    combined = tuple(dict(zip(fields, values, strict=True)) for values in product(*fields.values()))
    more = st.sampled_from(({},) * len(rarer) + rarer)
    usually = st.sampled_from(range(len(combined))).map(combined.__getitem__)
    return st.builds(lambda said, one, other: kind(**(said | one | other)), usually, more, more)


meant = facts_like(
    Intent,
    {"idempotency_key": KEYS, "payload_hash": HASHES, "intent_ref": (None, "order-1", "order-1", "order-2")},
    {"side_effect": True},
    {"side_effect": False},
    {"side_effect": False},
    {"key_scope": "eu"},
    {"key_ttl_s": 1},
    {"approved": True},
    {"idempotent_hint": True, "hint_trusted": True},
    {"idempotent_hint": True},
    {"tool": "pay"},
    {"tool": "mail"},
    {"run_id": "run-1"},
    {"run_id": "run-2"},
    MORE,
    NAMED_BY_CALL,
    ONE_PROCESS,
)
linked = facts_like(
    Intent,
    {"intent_ref": ("order-1", "order-1", "order-1", "order-2", None), "side_effect": (None, False)},
    MORE,
)
sent = facts_like(
    Attempt,
    {
        "attempt_id": ("a1", "a2", "a3"),
        "idempotency_key": (FROM_INTENT, FROM_INTENT, K1, K1, K2),
        "payload_hash": HASHES,
        "transport": (*Transport, Transport.SUCCESS),
    },
    {"executed": False, "proof": "argument_validation"},
    {"executed": False, "proof": "provider_rejected"},
    {"executed": False, "proof": "deferred_for_approval"},
    {"executed": False, "proof": "deferred_for_approval"},
    {"executed": False, "proof": "deferred_for_approval"},
    {"executed": False},
    {"executed": True},
    *({"reported": reported} for reported in Reported),
    {"idempotency_key": None},
    {"key_scope": "eu"},
    {"key_scope": None},
    {"key_ttl_s": 1},
    {"key_state": "unseen"},
    {"key_state": "no_request"},
    {"advice": "missing"},
    {"advice": "taken"},
    {"payload_state": "truncated"},
    {"http_status": 202},
    {"http_status": 200},
    {"http_status": 503},
    {"replay": True},
    {"dispatch_ref": "d1"},
    {"scope": "httpx", "tool_call_id": "call-1", "run_id": "run-1"},
    {"scope": "agent", "tool_call_id": "call-1", "run_id": "run-1"},
    {"started_only": True},
    {"exception_event": True},
    {"wire_requests": 2},
    {"attempt_no": 3},
    MORE,
    NAMED_BY_CALL,
    ONE_PROCESS,
    ANOTHER,
)
rivals = facts_like(
    Attempt,
    {
        "attempt_id": ("a1", "a2", "a3"),
        "idempotency_key": (FROM_INTENT, K1, K1),
        "payload_hash": ("sha256:a", "sha256:b", "sha256:c", None, "hmac-sha256:a", "hmac-sha256:b"),
    },
    {"executed": False, "proof": "argument_validation"},
    {"executed": False, "proof": "provider_rejected"},
    {"key_scope": "eu"},
    {"replay": True},
    {"dispatch_ref": "d1"},
    {"scope": "httpx", "tool_call_id": "call-1", "run_id": "run-1"},
    {"scope": "agent", "tool_call_id": "call-1", "run_id": "run-1"},
    NAMED_BY_CALL,
)
held = facts_like(
    Effect,
    {
        "effect_ref": (None, "x", "y", "z"),
        "count": (None, 1, 0, 2),
        "source": ("provider_receipt", "probe"),
        "payload_hash": HASHES,
        "authoritative": (True, True, True, False),
    },
    {"settle_after_s": 1.5},
    {"stage": "applied"},
    {"stage": "accepted", "authoritative": False},
    {"stage": "dropped"},
    {"conforms": True},
    {"conforms": False},
    {"about_ref": "x"},
    {"compensates": "x"},
    {"compensates": "y"},
    {"replayed": True},
    {"replayed": True},
    MORE,
    ONE_PROCESS,
)
seen = facts_like(
    Effect,
    {
        "effect_ref": (None, "x", "y", None),
        "count": (0, 1),
        "source": ("probe",),
        "authoritative": (True,),
    },
    {"effect_ref": "z"},
    {"count": 2},
    {"payload_hash": "sha256:a"},
    {"payload_hash": "sha256:b"},
    {"compensates": "x"},
    {"replayed": True},
    MORE,
)
claimed = facts_like(Claim, {"reported": Reported}, MORE)
unread = st.builds(Unreadable, operation_id=st.sampled_from(OPERATIONS), observed_at=st.just(0), field=st.just("time"))
gaps = st.builds(Gap, what=st.just("spans_dropped"), observed_at=st.just(SECOND), process=st.sampled_from((None, "p1")))

# ------------------------------------------------------------------------ worlds

telemetry = st.one_of(
    st.lists(st.one_of(meant, meant, sent, sent, sent, held, held, held, claimed, unread, gaps), max_size=7),
    st.lists(st.one_of(rivals, sent, held, held, claimed), max_size=5),
    st.lists(st.one_of(sent, held), max_size=2),
)
ledgers = telemetry.map(fold)


def around(facts: str, *more: SearchStrategy[Fact]) -> SearchStrategy[list[Fact | Gap]]:
    """These, and whatever else there may be."""
    return st.lists(st.one_of(more), min_size=1, max_size=4).map(lambda others: [*story(facts), *others])


clashes = st.one_of(
    st.lists(st.one_of(rivals, rivals, meant), min_size=2, max_size=6),
    around("attempt success key=k1 payload=a at=0; attempt success key=k1 payload=b at=1", rivals, rivals, meant),
    around("attempt success payload=a at=0; attempt success payload=b at=1; intent key=k1 at=1", rivals, meant),
    around("attempt success payload=a at=2; intent key=k1 at=1; intent op=op-2 key=k1 at=1", rivals, meant),
)
surpluses = st.one_of(
    st.lists(st.one_of(seen, held, meant), min_size=2, max_size=6),
    around("receipt x at=0; receipt y at=0", seen, seen, held, meant),
    around("receipt x at=0; receipt y at=0; probe 0 at=1; webhook z compensates=x at=2", seen, held, meant),
    around("receipt x; receipt y; receipt x op=op-2 replayed", seen, held, rivals, meant),
)
groups = st.one_of(
    around("intent intent_ref=order-1; receipt x; intent op=op-2 intent_ref=order-1; receipt y op=op-2", seen, linked),
    around("intent intent_ref=order-1 side_effect=false at=0; receipt x; receipt y op=op-2", linked, linked, seen),
)
accusations = st.one_of(clashes, surpluses, groups)
"""Something is wrong in most of these, or nearly so: with a key, with effects, with a business intent."""

WORLDS = {"clashes": clashes, "surpluses": surpluses, "groups": groups, "anything": telemetry}

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
