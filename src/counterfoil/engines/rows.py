"""A verdict as a job has it, in the words that verdict spans and events have everywhere.

A row (`judging.VERDICTS`) holds what the verdict is and the facts that bear it out, not the whole operation. What the
other facts would say (an agent, a conversation, when it began) is left out where no witness says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from opentelemetry.context import Context
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, set_span_in_context

from counterfoil import names
from counterfoil.facts import Attempt, Fact, Gap, Intent
from counterfoil.reading.evidence import Unusable, fact_from
from counterfoil.telling.spans import MAX_LINKS, span_of
from counterfoil.telling.teller import QUIET
from counterfoil.telling.words import LEVEL, MAX_REFS, Words, clean
from counterfoil.verdicts import Outcome, Reason, Severity


@dataclass(frozen=True)
class Row:
    """``said``: the columns by name."""

    said: Mapping[str, Any]

    @cached_property
    def judged(self) -> Mapping[str, Any]:
        return dict(orjson.loads(self.said["judged"]))

    @cached_property
    def witnesses(self) -> list[tuple[str, Fact]]:
        """The facts that bear it out, each with what it is in the story."""
        found = []
        for record in self.judged["witnesses"]:
            fact = _fact(record)
            if fact is not None:
                found.append((str(record["role"]), fact))
        return found

    @property
    def severity(self) -> Severity:
        return Severity(self.said["severity"])

    @property
    def is_notable(self) -> bool:
        """Whether it is said where only what is notable is. A revision always is: it takes back what was said."""
        is_unverified = self.said["verdict"] == Outcome.INDETERMINATE and self.said["reason"] == Reason.UNVERIFIED
        return self.said["revision"] > 1 or (self.said["verdict"] not in QUIET and not is_unverified)

    @property
    def title(self) -> str:
        tool = self.judged["tool"]
        return str(clean(f"verdict {tool}" if tool else "verdict"))

    @cached_property
    def words(self) -> Words:
        """All that a span and an event say. What isn't known is left out."""
        said, judged = self.said, self.judged
        intents = [fact for _, fact in self.witnesses if isinstance(fact, Intent)]
        values = {
            names.OPERATION_ID: said["operation_id"],
            names.VERDICT: said["verdict"],
            names.OUTCOME: said["outcome"],
            names.FINDINGS: tuple(said["findings"]),
            names.REASON: said["reason"],
            names.SEVERITY: said["severity"],
            names.NEXT_ACTION: judged["next_action"],
            names.REVISION: said["revision"],
            names.SETTLED: True,
            names.RESOLVED: judged["resolved"],
            names.ATTEMPT_COUNT: judged["attempts"],
            names.EFFECT_COUNT: judged["effects"],
            names.EFFECT_REFS: tuple(judged["effect_refs"][:MAX_REFS]),
            names.REQUEST_HASH: _first(intent.payload_hash for intent in intents),
            names.EXPLANATION: judged["explanation"],
            names.TOOL_NAME: judged["tool"],
            names.AGENT_NAME: _first(intent.agent for intent in intents),
            names.CONVERSATION_ID: _first(intent.conversation_id for intent in intents),
            names.LOGFIRE_MSG: f"{said['verdict']}: {judged['explanation']}",
            names.LOGFIRE_LEVEL: LEVEL[self.severity],
        }
        return {name: clean(value) for name, value in values.items() if value is not None}

    @property
    def counted(self) -> dict[str, str]:
        """What the verdict counts under."""
        verdict = {names.VERDICT: str(self.said["verdict"])}
        in_doubt = self.said["verdict"] == Outcome.INDETERMINATE and self.said["reason"] is not None
        return verdict | ({names.REASON: str(self.said["reason"])} if in_doubt else {})

    def moments(self) -> tuple[int, int]:
        """When the first witness and the last were observed; when it was judged, where there is none."""
        seen = [fact.observed_at for _, fact in self.witnesses if fact.observed_at > 0] or [int(self.said["at"])]
        return min(seen), max(seen)

    def below(self) -> Context:
        """The context of the last attempt among the witnesses, else of any of them; else none, and it is a root."""
        attempts = [fact for _, fact in reversed(self.witnesses) if isinstance(fact, Attempt)]
        for fact in (*attempts, *(fact for _, fact in self.witnesses)):
            there = span_of(fact)
            if there is not None:
                return set_span_in_context(NonRecordingSpan(there), Context())
        return Context()

    def links(self) -> list[Link]:
        """A link to the span of every witness, in the role that it has."""
        found: dict[tuple[SpanContext, str], Link] = {}
        for role, fact in self.witnesses:
            there = span_of(fact)
            if there is not None and len(found) < MAX_LINKS:
                found.setdefault((there, role), Link(there, {names.ROLE: role}))
        return list(found.values())


def _fact(record: Mapping[str, Any]) -> Fact | None:
    try:
        fact = fact_from({name: value for name, value in record.items() if name != "role"})
    except Unusable:  # an unreadable fact bears doubt out, and has nothing to say
        return None
    return None if isinstance(fact, Gap) else fact


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value is not None), None)
