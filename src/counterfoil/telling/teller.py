"""Tells what was judged, by every means that is switched on. Never raises: what breaks is counted, and told once."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from time import time_ns

from opentelemetry._logs import Logger
from opentelemetry.context import Context, attach, detach
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import NonRecordingSpan, SpanContext, set_span_in_context

from counterfoil.book.telling import Telling
from counterfoil.config import Config
from counterfoil.facts import Fact, Gap
from counterfoil.reading.consults import Consult
from counterfoil.telling.consults import context_of, say_consult, words_of
from counterfoil.telling.events import say_event, say_fact
from counterfoil.telling.histories import HistoryTelling, say_history, say_repairs, say_verdict
from counterfoil.telling.meters import Meters
from counterfoil.telling.sending import Sender
from counterfoil.telling.spans import Private, below_last_attempt, outline_of, say_span
from counterfoil.telling.words import Words, verdict_attributes
from counterfoil.verdicts import Outcome, Reason

log = logging.getLogger("counterfoil")

QUIET = (Outcome.HEALTHY, Outcome.VERIFIED_APPLIED)
"""Verdicts that ``notable`` spans leave out, beside `Reason.UNVERIFIED`."""


class Troubles:
    """Errors of ours, and of who stands beside us: each counted, each kind logged once, with nothing of what it was
    about."""

    def __init__(self, meters: Meters) -> None:
        self._meters = meters
        self._told: set[str] = set()

    def beside(self, processor: object, error: BaseException) -> None:
        """A processor of the host's own raised when it was given a span of ours."""
        self.had("beside", error, of=type(processor).__name__)

    def had(self, where: str, error: BaseException, *, of: str = "counterfoil") -> None:
        """An error was kept from the host."""
        try:
            kind = f"{where}:{type(error).__name__}"
            if kind not in self._told:
                self._told.add(kind)
                says = "an error of %s was kept from the application (%s); verdicts may be missing"
                log.warning(says, of, kind)
            self._meters.error(kind)
        except Exception:  # telling of a trouble must not make another
            return


class Teller:
    """Spans to one pipeline's processors, if those are known; metrics and events to the process's providers."""

    def __init__(
        self,
        config: Config,
        provider: Private | None,
        meters: Meters,
        logger: Logger,
        troubles: Troubles,
        *,
        sender: Sender | None = None,
    ) -> None:
        self._config = config
        self._provider = provider
        self._meters = meters
        self._logger = logger
        self._troubles = troubles
        self._sender = sender

    def tell(self, tellings: Iterable[Telling]) -> None:
        """Tell each of them by each means; a means that breaks keeps no other from being used.

        Whoever asks may have suppressed instrumentation, as Logfire has while it shuts a pipeline down: that is about
        their spans, and would silence ours.
        """
        token = attach(Context())
        try:
            for telling in tellings:
                self._tell(telling)
        finally:
            detach(token)

    def tell_facts(self, facts: Iterable[Fact | Gap]) -> None:
        """Say facts as events, for a fleet that judges together: by a way of their own, or with all other logs."""
        try:
            if self._sender is not None:
                self._sender.put(facts)
                return
            for fact in facts:
                say_fact(self._logger, fact)
        except Exception as error:
            self._troubles.had("facts", error)

    def tell_history(self, telling: HistoryTelling, below: Context) -> None:
        """Tell the verdict on a message list. ``below``: the context of the span that it is said under."""
        token = attach(Context())
        try:
            self._tell_history(telling, below)
        finally:
            detach(token)

    def tell_consults(self, consults: Iterable[Consult]) -> None:
        """Count consultations, and say each as an event."""
        for one in consults:
            try:
                where = context_of(one)
                if "metrics" in self._config.emit:
                    self._meters.consult(*words_of(one), where)
                if "events" in self._config.emit:
                    say_consult(self._logger, one, where)
            except Exception as error:
                self._troubles.had("consults", error)

    def had(self, where: str, error: BaseException) -> None:
        """An error was kept from the host by somebody who tells through this."""
        self._troubles.had(where, error)

    def serves(self, resource: Resource) -> bool:
        """Whether this is still the pipeline's resource: a fork renews it, and spans may show which it is."""
        return self._provider is None or self._provider.resource is resource

    def _tell(self, telling: Telling) -> None:
        words = self._words(telling)
        where = self._span(telling, words)
        try:
            if "metrics" in self._config.emit:
                self._meters.told(telling, where, time_ns())
        except Exception as error:
            self._troubles.had("metrics", error)
        try:
            if words and "events" in self._config.emit:
                say_event(self._logger, telling, words, where)
        except Exception as error:
            self._troubles.had("events", error)

    def _tell_history(self, telling: HistoryTelling, where: Context) -> None:
        is_said = self._config.verdict_spans == "all" or not telling.audit.ready
        try:
            if is_said and self._provider is not None and "spans" in self._config.emit:
                where = _at(say_history(self._provider, telling, where))
        except Exception as error:
            self._troubles.had("spans", error)
        try:
            if "metrics" in self._config.emit:
                self._meters.history(telling.audit.verdict.value, where)
        except Exception as error:
            self._troubles.had("metrics", error)
        try:
            if "events" in self._config.emit:
                say_repairs(self._logger, telling, where)
                if is_said:
                    say_verdict(self._logger, telling, where)
        except Exception as error:
            self._troubles.had("events", error)

    def _words(self, telling: Telling) -> Words:
        """What a span and an event say, in the same words; none where neither is to be said."""
        try:
            return verdict_attributes(telling) if self._is_said(telling) else {}
        except Exception as error:
            self._troubles.had("words", error)
            return {}

    def _span(self, telling: Telling, words: Words) -> Context:
        try:
            if words and self._provider is not None and "spans" in self._config.emit:
                return _at(say_span(self._provider, outline_of(telling), words))
        except Exception as error:
            self._troubles.had("spans", error)
        return below_last_attempt(telling)

    def _is_said(self, telling: Telling) -> bool:
        """A revision is always said: it takes back what was said before."""
        if self._config.emit.isdisjoint(("spans", "events")):
            return False
        if self._config.verdict_spans == "all" or telling.revision > 1:
            return True
        judgement = telling.judgement
        unverified = judgement.verdict is Outcome.INDETERMINATE and judgement.reason is Reason.UNVERIFIED
        return judgement.verdict not in QUIET and not unverified


def _at(span: SpanContext) -> Context:
    return set_span_in_context(NonRecordingSpan(span), Context())
