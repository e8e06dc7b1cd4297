"""The verdicts as dashboards need them: as label values, grouped, and in one colour each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterfoil.verdicts import ACQUITTALS, PAGES, WORST_FIRST, Finding, Outcome, Reason, Verdict

COLOURS: Mapping[Verdict, str] = {
    Finding.KEY_CONFLICT: "purple",
    Outcome.DUPLICATE_EFFECT: "dark-red",
    Outcome.FALSE_SUCCESS: "red",
    Finding.OUTCOME_MISMATCH: "#FF7383",
    Finding.UNSAFE_RETRY: "yellow",
    Outcome.INDETERMINATE: "orange",
    Outcome.VERIFIED_NOT_APPLIED: "blue",
    Outcome.VERIFIED_APPLIED: "green",
    Outcome.HEALTHY: "light-blue",
}
"""Grafana's colour for each verdict, the same on every panel. Only what was verified is green."""

UNADVISED = "super-light-purple"
"""The colour of the one finding that is never a verdict."""

REASON_COLOURS: Mapping[Reason, str] = {
    Reason.IDENTITY_UNCLEAR: "purple",
    Reason.UNREADABLE: "dark-red",
    Reason.RECEIPT_MISMATCH: "red",
    Reason.PARTIAL: "yellow",
    Reason.AWAITING_APPROVAL: "super-light-blue",
    Reason.ACCEPTED: "light-blue",
    Reason.SETTLING: "blue",
    Reason.TELEMETRY_GAP: "dark-orange",
    Reason.AMBIGUOUS: "orange",
    Reason.UNVERIFIED: "super-light-orange",
}
"""Grafana's colour for each reason of doubt: blue only needs time."""

NO_TELEMETRY = "#8E8E8E"
"""Grey, the colour of knowing nothing. Grafana paints a missing value in the base colour, so the base is this."""


def any_of(words: Iterable[str]) -> str:
    """Label values as a PromQL or TraceQL alternation."""
    return "|".join(words)


SEVERE: tuple[Verdict, ...] = tuple(verdict for verdict in WORST_FIRST if verdict in PAGES)
"""Verdicts that page, worst first."""

PENDING: tuple[Reason, ...] = (Reason.ACCEPTED, Reason.AWAITING_APPROVAL, Reason.SETTLING)
"""Reasons of doubt that only need time. Such an operation is counted again when it is decided."""

GOOD: tuple[Verdict, ...] = tuple(
    verdict for verdict in WORST_FIRST if verdict in ACQUITTALS or verdict is Outcome.HEALTHY
)

DECIDED = f'counterfoil_verdict!="{Outcome.HEALTHY}", counterfoil_reason!~"{any_of(PENDING)}"'
"""Matchers for verdicts on operations that have a side effect and don't only need time."""

BAD = f'counterfoil_verdict!~"{any_of(GOOD)}", counterfoil_reason!~"{any_of((Reason.UNVERIFIED, *PENDING))}"'
"""Matchers for verdicts that spend the error budget: convictions, and doubt beyond the everyday lack of a receipt."""

SEVERE_ONLY = f'counterfoil_verdict=~"{any_of(SEVERE)}"'
"""Matcher for verdicts that page."""
