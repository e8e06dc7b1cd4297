"""Every rule is broken in a way that somebody might plausibly write it, and a story notices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.dashboards.promtool import broken, rules, story

SHARES = "shares and counts leave out reads"
BURNS = "each burn rate has its own rule"


@dataclass(frozen=True)
class Mutant:
    """One rule with one field in which `old` became `new`, and the story that must not come out any more."""

    rule: str
    old: str
    new: str
    caught_by: str
    field: str = "expr"


def _share(window: str) -> Mutant:
    return Mutant(f"job:counterfoil_operations_bad:ratio_increase{window}", "unverified|", "", SHARES)


def _decided(window: str) -> Mutant:
    return Mutant(
        f"job:counterfoil_operations_decided:increase{window}", 'counterfoil_verdict!="healthy", ', "", SHARES
    )


MUTANTS = [
    *map(_share, ("5m", "30m", "1h", "2h", "6h", "1d", "3d")),
    *map(_decided, ("1h", "6h", "1d", "3d")),
    Mutant("job:counterfoil_operations_bad:ratio_increase1h", "> 0)", ">= 0)", "where nothing is decided"),
    # Without a memory, the alert ends when telemetry does.
    Mutant("CounterfoilIncidentOpen", "last_over_time(", "max_over_time(", "an incident pages at once"),
    Mutant("CounterfoilIncidentOpen", "[15m]", "[5m]", "an incident pages at once"),
    Mutant("CounterfoilIncidentOpen", "sum by", "max by", "two processes with an incident each"),
    # increase() alone doesn't see the first step of a counter that is born at 1.
    Mutant("CounterfoilSevereVerdictSeen", "max_over_time(", "0 * max_over_time(", "a counter whose first sample is 1"),
    # An instant that lies in a gap looks like a birth.
    Mutant("CounterfoilSevereVerdictSeen", "[6h] offset", "[1m] offset", "neither a gap between scrapes nor a restart"),
    Mutant("CounterfoilSevereVerdictSeen", "15m", "30m", "a counter whose first sample is 1", field="keep_firing_for"),
    Mutant("CounterfoilSevereVerdictSeen", "key_conflict|", "verified_applied|", "a good verdict that is new"),
    Mutant("CounterfoilUnsafeRetrySeen", '="unsafe_retry"', '=~".+"', "a good verdict that is new"),
    Mutant("CounterfoilUnsafeRetrySeen", "max_over_time(", "0 * max_over_time(", "one unsafe retry is a ticket"),
    # One window alone goes on firing when all is well again.
    Mutant("CounterfoilBudgetBurnFast", "ratio_increase5m", "ratio_increase1h", "a fifth bad for an hour"),
    Mutant("CounterfoilBudgetBurnFast", ">= 20", ">= 2", "a fifth bad for an hour"),
    Mutant("CounterfoilBudgetBurn", "(6 *", "(3 *", BURNS),
    Mutant("CounterfoilBudgetBurnSlow", "(3 *", "(1 *", BURNS),
    Mutant("CounterfoilBudgetLeak", "(1 *", "(0.5 *", BURNS),
    Mutant("CounterfoilDoubtInQuietService", ">= 2.5", ">= 1.5", "three bad of five"),
    Mutant("CounterfoilDoubtInQuietService", ">= 20", ">= 2000", "three bad of five"),
    Mutant("CounterfoilDoubtInQuietService", "unverified|", "", "three bad of five"),
    Mutant("CounterfoilDoubtInQuietService", "max_over_time(", "0 * max_over_time(", "three bad of five"),
    # max over instances: a process that went away on purpose is not silence.
    Mutant("CounterfoilTelemetryMissing", "max by (job)", "min by (job)", "a job that stops is missed"),
    Mutant("CounterfoilTelemetryMissing", "[6h]", "[5m]", "a job that stops is missed"),
    Mutant("CounterfoilTelemetryMissing", "> 600", "> 60", "a job that stops is missed"),
    Mutant("CounterfoilTelemetryNeverSeen", "15m", "1m", "a Prometheus without any heartbeat", field="for"),
    Mutant("CounterfoilTelemetryNeverSeen", "absent(", "count(", "a Prometheus without any heartbeat"),
    Mutant("CounterfoilJudgeLate", "> 180", "> 1800", "a judge that stops while its process goes on"),
    Mutant("CounterfoilJudgeLate", "5m", "0m", "a judge that stops while its process goes on", field="for"),
    Mutant("CounterfoilVerificationStuck", "max by", "min by", "an operation that waits too long"),
    Mutant("CounterfoilVerificationStuck", "> 900", "> 600", "an operation that waits too long"),
    Mutant("CounterfoilFactsDropped", "max_over_time(", "0 * max_over_time(", "facts that were dropped"),
    Mutant("CounterfoilErrors", "job, error_type", "job", "facts that were dropped"),
    Mutant("CounterfoilErrors", "[6h] offset 15m", "[6h] offset 5h", "facts that were dropped"),
    Mutant("CounterfoilWatchdog", "vector(1)", "vector(1) < 0", "a Prometheus without any heartbeat"),
]


def test_every_rule_has_a_mutant() -> None:
    assert {mutant.rule for mutant in MUTANTS} == set(rules())


@pytest.mark.real
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.rule}: {m.old} -> {m.new}")
def test_a_story_notices(mutant: Mutant, tmp_path: Path) -> None:
    broken(tmp_path, mutant.rule, mutant.field, mutant.old, mutant.new)

    done = story(tmp_path, mutant.caught_by)

    assert done.returncode == 1, "no story noticed"
    assert "FAILED" in done.stdout + done.stderr, "the mutant is no rule at all"
