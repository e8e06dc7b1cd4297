"""One self-contained page: HTML, CSS and SVG in one text. It loads and runs nothing, and says so to the browser.

Everything that a stranger may have named is escaped by the templates' engine, and cut to a length that is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from counterfoil.auditing.told import Told
from counterfoil.drawing.layout import Drawing, downwards, to_the_right
from counterfoil.drawing.moments import Moment, moments
from counterfoil.drawing.summary import Summary
from counterfoil.five_facts import five_facts
from counterfoil.printable import shortened
from counterfoil.records import rfc3339
from counterfoil.verdicts import Outcome, Severity, Verdict

MOST_NAME, MOST_TEXT = 200, 360
"""Characters of a name, and of a sentence or a fact, that are shown."""

MOST_URGENT = 6
"""So many operations of one verdict are named in the summary; all of those that are drawn stand below it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One operation as the page shows it."""

    number: int
    rank: int
    name: str
    tone: str
    verdict: str
    also: tuple[str, ...]
    reason: str | None
    severity: str
    sentence: str
    next_action: str
    facts: Mapping[str, str]
    moments: Sequence[Moment]
    left_out: int
    since: str | None
    wide: Drawing
    tall: Drawing

    @property
    def in_words(self) -> str:
        """The drawing for those who don't see it; the list below it has the same moments one by one."""
        bearing = [str(moment.number) for moment in self.moments if moment.event.bears_out]
        witnesses = f" The verdict rests on {', '.join(bearing)}." if bearing else ""
        return f"{len(self.moments)} moments, numbered as in the list.{witnesses}"


def operation_page(told: Told, now: int) -> str:
    """The page of one operation. ``now``: nanoseconds since 1970."""
    return _page(_title(told), None, [drawn(told, 1, now)], [], now)


def audit_page(summary: Summary, now: int) -> str:
    """The page of an audit: what it came to, the operations that need attention, and the others, folded."""
    attention = [drawn(told, number, now) for number, told in enumerate(summary.attention, 1)]
    others = [drawn(told, number, now) for number, told in enumerate(summary.others, len(attention) + 1)]
    return _page("Audit", summary, attention, others, now)


def drawn(told: Told, number: int, now: int) -> Drawn:
    """What the page shows of one operation."""
    judged = told.judgement
    chosen = moments(judged, now)
    times = [moment.event.at for moment in chosen.known]
    return Drawn(
        number=number,
        rank=told.place[0],
        name=shortened(judged.operation.operation_id, MOST_NAME),
        tone=tone_of_verdict(judged.verdict, told.severity),
        verdict=judged.verdict.value,
        also=tuple(finding.value for finding in judged.findings if finding is not judged.verdict),
        reason=judged.reason.value if judged.reason is not None else None,
        severity=told.severity.value,
        sentence=shortened(told.sentence, MOST_TEXT),
        next_action=judged.next_action,
        facts={about: shortened(fact, MOST_TEXT) for about, fact in five_facts(judged, now).items()},
        moments=chosen.drawn,
        left_out=chosen.left_out,
        since=times[0] if times else None,
        wide=to_the_right(chosen),
        tall=downwards(chosen),
    )


def tone_of_verdict(verdict: Verdict, severity: Severity) -> str:
    """The colour of a verdict; the word beside it says the same."""
    if verdict in (Outcome.VERIFIED_APPLIED, Outcome.HEALTHY):
        return "good"
    return {Severity.PAGE: "bad", Severity.TICKET: "open", Severity.NONE: "plain"}[severity]


def _title(told: Told) -> str:
    name = shortened(told.judgement.operation.operation_id, 80)
    return f"{told.judgement.verdict.value}: {name}"


def _page(title: str, summary: Summary | None, attention: Iterable[Drawn], others: Iterable[Drawn], now: int) -> str:
    made = rfc3339(now // 1_000_000_000 * 1_000_000_000)
    page = _templates().get_template("page.html.jinja")
    return page.render(
        title=title, most_urgent=MOST_URGENT, summary=summary, attention=attention, others=others, made=made
    )


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("counterfoil.drawing"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
