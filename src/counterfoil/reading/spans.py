"""The one reader of spans, in an agent's process as they start and end, and for files as they once did.

It keeps scalars of open spans, in bounds, and answers each span with the facts that are known because of it. The facts
of a call are stated when its span ends, because only then is its operation known; where that was declared, the intent
is stated when it starts.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable

from counterfoil import names
from counterfoil.config import Config
from counterfoil.facts import Attempt, Fact, Intent
from counterfoil.reading.beginnings import Beginnings
from counterfoil.reading.consults import Consults
from counterfoil.reading.endings import Endings
from counterfoil.reading.naming import Names
from counterfoil.reading.own import NOTHING, own_words
from counterfoil.reading.tree import Open, place, text_or_none
from counterfoil.reading.views import Attributes, Ids, ResourceView, SpanSeen, SpanView

__all__ = ["MAX_LATE", "MAX_OPEN", "Reading", "SpanSeen", "SpanView"]

MAX_OPEN = 20_000
"""So many open spans are known at once; of more, the oldest is taken for one that never ends."""

MAX_LATE = 4_000
"""So many ended spans are remembered, for what starts below them late, and for those that come again."""

EVICTED = "open_spans_full"
"""Why an open span was given up, as it is counted."""

Key = tuple[int, int]


class Reading:
    """Reads spans into facts. Not for several threads at once.

    ``read`` counts facts by vocabulary, ``spilled`` what was not taken in, by cause; ``consults`` keeps who was asked
    for advice, which is no fact. No value that a span may hold makes a method raise.
    """

    def __init__(self, config: Config | None = None, *, max_open: int = MAX_OPEN) -> None:
        self.config = config or Config()
        self.read: Counter[str] = Counter()
        self.spilled: Counter[str] = Counter()
        self.consults = Consults()
        self._max_open = max_open
        self._open: OrderedDict[Key, Open] = OrderedDict()
        self._over: OrderedDict[Key, Open] = OrderedDict()
        self._beginnings = Beginnings(self.config, Names())
        self._endings = Endings(self._beginnings, self.spilled)
        self._resource: tuple[ResourceView, str | None] | None = None

    def started(self, span: SpanView, baggage: Attributes | None = None) -> list[Fact]:
        """A span started. ``baggage``: what is in baggage there, and what a parent says that we are not shown."""
        ids, scope = span.context, span.instrumentation_scope
        if ids is None or (scope is not None and scope.name == names.SCOPE):
            return []
        key = (ids.trace_id, ids.span_id)
        if key in self._open or key in self._over:
            return []
        above = self._above(span.parent)
        secret = self.config.hash_key
        carried = own_words(baggage, self.spilled, secret, text=True) if baggage else NOTHING
        said = own_words(span.attributes, self.spilled, secret)
        node = Open(ids, int(span.start_time or 0), self._process_of(span.resource))
        self._open[key] = place(node, span, above, said, carried)
        facts = self._counted(list(self._beginnings.of(span, node, above, said, carried)), node)
        if len(self._open) > self._max_open:
            facts += self._evict()
        return facts

    def ended(self, span: SpanView) -> list[Fact]:
        """A span ended. One whose start was not seen starts and ends here; one that ended before is the same again."""
        ids = span.context
        if ids is None:
            return []
        key = (ids.trace_id, ids.span_id)
        facts = [] if key in self._open else self.started(span)
        node = self._open.pop(key, None)
        if node is None:
            return facts
        said = own_words(span.attributes, self.spilled, self.config.hash_key)
        ended_at = max(int(span.end_time or 0), node.started_at)
        self.consults.ended(span, node, said, ended_at)
        facts += self._counted(list(self._endings.of(span, node, said, ended_at)), node)
        self._remember(key, node)
        return facts

    def close(self) -> list[Fact]:
        """No more spans will come: what is open never ends. The innermost first."""
        facts: list[Fact] = []
        while self._open:
            node = self._open.popitem()[1]
            facts += self._counted(list(self._endings.never(node)), node)
        return facts

    def lost(self) -> None:
        """Spans were lost, nobody knows which: no call that is open now can be known in full any more."""
        for node in self._open.values():
            if node.run is not None:
                node.run.unclear = True
            if node.own_call and node.call is not None:
                node.call.overflow += 1

    @property
    def open_spans(self) -> int:
        return len(self._open)

    def _process_of(self, resource: ResourceView) -> str | None:
        """The last one is remembered: the spans of one process share their resource, and looking into it is slow."""
        if self._resource is None or self._resource[0] is not resource:
            self._resource = resource, text_or_none(resource.attributes.get("service.instance.id"))
        return self._resource[1]

    def _above(self, parent: Ids | None) -> Open | None:
        if parent is None:
            return None
        key = (parent.trace_id, parent.span_id)
        return self._open.get(key) or self._over.get(key)

    def _evict(self) -> Iterable[Fact]:
        key, node = self._open.popitem(last=False)
        self.spilled[EVICTED] += 1
        if node.run is not None:
            node.run.unclear = True
        if node.own_call and node.call is not None:
            node.call.overflow += 1
        facts = self._counted(list(self._endings.never(node)), node)
        self._remember(key, node)
        return facts

    def _remember(self, key: Key, node: Open) -> None:
        self._over[key] = node
        if len(self._over) > MAX_LATE:
            self._over.popitem(last=False)

    def _counted(self, facts: list[Fact], node: Open) -> list[Fact]:
        """A call's own attempt is of the vocabulary of its span; one with other ids than its intent is a request's."""
        calls = {fact.span_id for fact in facts if isinstance(fact, Intent) and fact.tool is not None}
        made = node.call.tool if node.call is not None else None
        words = made.vocabulary if made is not None else "genai"
        resolved = node.call.resolved if node.call is not None else None
        target = node.request.target if node.request is not None else resolved.target if resolved is not None else None
        for fact in facts:
            if isinstance(fact, Attempt):
                reader = words if fact.span_id in calls else target.reader if target is not None else "http"
            else:
                reader = words if fact.span_id in calls and isinstance(fact, Intent) else "own"
            self.read[reader] += 1
        return facts
