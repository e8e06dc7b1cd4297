"""A verdict on its way from the worker that judged to the driver that tells of it by OTLP.

What its span and event say is worked out where the whole operation is known, by the same code as a judge's, and is a
column of the row: hashes, names, ids and times, each no longer than a span's attribute may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from counterfoil import names
from counterfoil.book.telling import Telling, said
from counterfoil.judge import Judgement
from counterfoil.ledger.told import Told
from counterfoil.telling.spans import Outline, outline_of
from counterfoil.telling.teller import QUIET
from counterfoil.telling.words import Words, verdict_attributes
from counterfoil.verdicts import Outcome, Reason, Severity


def span_text(told: Told, judgement: Judgement) -> str:
    """The words and the outline of the verdict span of one revision, as JSON."""
    operation = judgement.operation
    since = min(fact.observed_at for fact in operation.intents or operation.facts)
    news = said(judgement, told.said.severity)
    telling = Telling(judgement, news, told.revision, settled=True, since=since, new_attempts=0)
    return orjson.dumps((verdict_attributes(telling), tuple(outline_of(telling)))).decode()


@dataclass(frozen=True)
class Row:
    """``said``: the columns by name, the span's among them."""

    said: Mapping[str, Any]

    @cached_property
    def _span(self) -> tuple[dict[str, Any], list[Any]]:
        words, outline = orjson.loads(self.said["span"])
        return words, outline

    @cached_property
    def words(self) -> Words:
        """All that a span and an event say. What isn't known is left out."""
        return {name: tuple(value) if isinstance(value, list) else value for name, value in self._span[0].items()}

    @property
    def outline(self) -> Outline:
        return Outline(*self._span[1])

    @property
    def severity(self) -> Severity:
        return Severity(self.said["severity"])

    @property
    def tool(self) -> str | None:
        return self._span[0].get(names.TOOL_NAME)

    @property
    def is_notable(self) -> bool:
        """Whether it is said where only what is notable is. A revision always is: it takes back what was said."""
        is_unverified = self.said["verdict"] == Outcome.INDETERMINATE and self.said["reason"] == Reason.UNVERIFIED
        return self.said["revision"] > 1 or (self.said["verdict"] not in QUIET and not is_unverified)

    @property
    def counted(self) -> dict[str, str]:
        """What the verdict counts under."""
        verdict = {names.VERDICT: str(self.said["verdict"])}
        in_doubt = self.said["verdict"] == Outcome.INDETERMINATE and self.said["reason"] is not None
        return verdict | ({names.REASON: str(self.said["reason"])} if in_doubt else {})
