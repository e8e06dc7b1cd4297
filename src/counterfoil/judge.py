"""The judgement on one operation: a pure question asked of its facts, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from counterfoil.across import ALONE, Around, Brief, Rule, around, brief
from counterfoil.doubts import DOUBTS, identity_unclear
from counterfoil.evidence import Evidence, Folded
from counterfoil.facts import Fact
from counterfoil.findings import FINDINGS, unapproved
from counterfoil.holdings import is_settled
from counterfoil.operations import Operation, operation_from
from counterfoil.records import in_order
from counterfoil.rules import CONVICTIONS, READINGS
from counterfoil.verdicts import ACQUITTALS, NEXT_ACTION, WORST_FIRST, Finding, Outcome, Reason, Verdict


@dataclass(frozen=True, slots=True)
class Rules:
    """The tables that a judgement is made from. There is one set of them; a test may break one on purpose."""

    convictions: Mapping[Verdict, Rule]
    readings: Mapping[Outcome, Rule]
    findings: Mapping[Finding, Rule]
    doubts: Mapping[Reason, Rule]


RULES = Rules(CONVICTIONS, READINGS, FINDINGS, DOUBTS)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the facts come to. ``witnesses`` bear out the verdict, in order of time.

    ``reason`` is said of an indeterminate outcome only, ``resolved`` of a duplicate whose surplus was reversed,
    ``gone`` of an effect that was seen and no longer is there. Nothing in here depends on a clock.
    """

    case: Brief
    verdict: Verdict
    outcome: Outcome
    findings: tuple[Finding, ...]
    reason: Reason | None
    witnesses: tuple[Fact, ...]
    borne_out: Mapping[Verdict, tuple[Fact, ...]]

    @property
    def operation(self) -> Operation:
        return self.case.operation

    @property
    def next_action(self) -> str:
        return NEXT_ACTION[self.verdict]

    @property
    def effect_refs(self) -> tuple[str, ...]:
        """The target's names for the effects of this operation, sorted."""
        return tuple(sorted(self.case.holdings.sighted))

    @property
    def effect_count(self) -> int:
        """How many effects took place, at least."""
        most = self.case.holdings.most
        return max(self.case.holdings.number, len(self.case.holdings.sighted), (most and most.count) or 0)

    @property
    def resolved(self) -> bool:
        """The surplus was reversed, here and in every business intent: it happened, and nobody has to act any more."""
        if self.outcome is not Outcome.DUPLICATE_EFFECT:
            return False
        own = self.effect_count - len(self.case.holdings.reversed) <= self.operation.expected_count
        pools = self.case.around.pools
        shared = (pools[ref] for ref in self.operation.intent_refs & pools.keys())
        return own and all(pool.number - len(pool.reversed) <= pool.expected for pool in shared)

    @property
    def gone(self) -> bool:
        return bool(self.case.holdings.gone or self.case.holdings.reversed)


def judge(operation: Operation, surroundings: Around = ALONE, rules: Rules = RULES) -> Judgement:
    """Ask the rules, worst first. A rule that breaks leaves doubt; it never convicts and never acquits."""
    case = brief(operation, surroundings)
    if operation.is_read:
        return _judgement(case, Outcome.HEALTHY, {Outcome.HEALTHY: Evidence(operation.intents)})
    if unclear := identity_unclear(case):
        return _judgement(case, Outcome.INDETERMINATE, {Outcome.INDETERMINATE: unclear}, Reason.IDENTITY_UNCLEAR)

    held: dict[Verdict, Evidence] = {}
    broken = False
    for verdict, rule in (*rules.convictions.items(), *rules.readings.items(), *rules.findings.items()):
        witness = _asked(rule, case)
        if witness is None:
            broken = True
        elif witness:
            held[verdict] = witness
    outcome = next((o for o in WORST_FIRST if isinstance(o, Outcome) and o in held), Outcome.INDETERMINATE)
    if outcome is Outcome.INDETERMINATE or (broken and outcome in ACQUITTALS):
        reason, why = _doubt(case, rules, broken=broken)
        return _judgement(case, Outcome.INDETERMINATE, held | {Outcome.INDETERMINATE: why}, reason)
    return _judgement(case, outcome, held)


def _asked(rule: Rule, case: Brief) -> Evidence | None:
    """The rule's witness, or None where the rule broke: a bug of ours must not become somebody's incident."""
    try:
        return rule(case)
    except Exception:
        return None


def _doubt(case: Brief, rules: Rules, *, broken: bool) -> tuple[Reason, Evidence]:
    if broken or case.operation.unreadable:
        return Reason.UNREADABLE, case.operation.facts
    for reason, rule in rules.doubts.items():
        why = _asked(rule, case)
        if why is None:
            return Reason.UNREADABLE, case.operation.facts
        if why:
            return reason, why
    return Reason.UNVERIFIED, case.operation.facts


def _judgement(
    case: Brief, outcome: Outcome, held: Mapping[Verdict, Evidence], reason: Reason | None = None
) -> Judgement:
    findings = tuple(finding for finding in Finding if finding in held)
    verdict = _worst(case, outcome, findings)
    said: tuple[Verdict, ...] = (outcome, *findings)
    borne_out = {v: tuple(in_order(held[v])) for v in said}
    return Judgement(case, verdict, outcome, findings, reason, borne_out[verdict], borne_out)


def _worst(case: Brief, outcome: Outcome, findings: Iterable[Finding]) -> Verdict:
    said: set[Verdict] = {outcome, *findings}
    if _harmless(case, outcome):
        said.discard(Finding.UNSAFE_RETRY)
    return next(verdict for verdict in WORST_FIRST if verdict in said)


def _harmless(case: Brief, outcome: Outcome) -> bool:
    """A repeat did no harm: after the last attempt the target was asked how many there are, and said as many as meant.

    That says nothing about a payload which nobody approved.
    """
    total = case.holdings.total
    return (
        outcome is Outcome.VERIFIED_APPLIED
        and total is not None
        and total.count == case.operation.expected_count
        and is_settled(total, case.operation)
        and not unapproved(case.operation)
    )


def judge_all(folded: Folded, rules: Rules = RULES) -> dict[str, Judgement]:
    """The judgement on every operation, by operation id."""
    operations = [operation_from(name, facts) for name, facts in sorted(folded.operations.items())]
    surroundings = around(operations, folded.gaps)
    return {operation.operation_id: judge(operation, surroundings, rules) for operation in operations}
