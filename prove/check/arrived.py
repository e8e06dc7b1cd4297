"""What evidence arrived, read from the recorded spans by the simplest means, and not by the product's readers.

It knows the agents of this proving ground, and how their tools name things. That is what makes it simple.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from counterfoil.facts import Attempt, Effect, Fact, Transport
from prove.plan import ASYNC
from prove.telemetry.lines import Span

OURS = "counterfoil"
OPERATION = "counterfoil.operation.id"
NOT_CONNECTED = ("ConnectTimeout", "ConnectError")
"""How httpx names a request that never left, for want of a connection."""


@dataclass(slots=True)
class Evidence:
    """``made``, ``promised``, ``gone``: the objects that somebody who may be believed named so. ``counts``: what looks
    counted, and when they began. ``refuted``: an outcome contract said no of what was there. ``last``: when the last of
    the attempts that arrived ended. ``lag``: how long after that a look is too early, in nanoseconds. ``strays``: those
    of ``made`` that are another operation's, under which nothing that arrived names them. ``begun``: the attempts that
    a ledger holds of which nobody saw the end."""

    made: set[str] = field(default_factory=set)
    promised: dict[str, int] = field(default_factory=dict)  # and when that was seen last
    gone: dict[str, int] = field(default_factory=dict)
    counts: list[tuple[int, int]] = field(default_factory=list)
    payloads: dict[str, set[str]] = field(default_factory=dict)  # by key
    refuted: bool = False
    strays: set[str] = field(default_factory=set)
    spans: int = 0
    requests: int = 0
    unsent: int = 0  # of them, to whom no connection was made
    begun: int = 0
    accepted: bool = False
    failed: bool = False
    last: int = 0
    lag: int = 0

    @property
    def effects(self) -> int:
        """So many effects are shown, at least."""
        return max([len(self.made), *(count for count, _ in self.counts)])

    @property
    def never_left(self) -> bool:
        """Each request that arrived was never sent, and nobody shows anything that says otherwise."""
        return bool(self.requests) and self.unsent == self.requests and not (self.made or self.promised)

    @property
    def calls_alone(self) -> bool:
        """Tools' calls arrived, and not one of the requests below them."""
        return self.spans > 0 and not self.requests

    @property
    def absent(self) -> bool:
        """A look that came late enough found nothing, or all that was promised is gone and was not promised since: the
        newest word on an object is the one that counts."""
        found = [count for count, at in self.counts if at >= self.settled]
        late = {ref for ref, at in self.gone.items() if at >= max(self.last, self.promised.get(ref, 0))}
        dropped = bool(late) and not self.promised.keys() - late
        return not self.effects and (0 in found or dropped)

    @property
    def settled(self) -> int:
        """From then on a look is late enough."""
        return self.last + self.lag if self.spans else 0

    @property
    def too_early(self) -> bool:
        zeros = [at for count, at in self.counts if count == 0]
        return any(at < self.settled for at in zeros) or any(at < self.last for at in self.gone.values())


class Arrived:
    """The evidence in some spans, by operation; and the operations of whose keys two payloads are among them."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.by_name = _evidence(spans)
        self.conflicts = _conflicts(self.by_name)

    def of(self, operation: str) -> Evidence:
        return self.by_name.get(operation, Evidence())

    def names(self, ref: str, operation: str) -> bool:
        """Whether anything shows an object as this operation's."""
        one = self.of(operation)
        return ref in one.made or ref in one.promised


def _evidence(spans: Iterable[Span]) -> dict[str, Evidence]:
    known: dict[str, Evidence] = {}
    calls: dict[tuple[str, str], tuple[str, str | None]] = {}
    requests: list[Span] = []
    seen: set[tuple[str, str]] = set()
    for span in spans:
        if span.scope == OURS or (span.trace, span.span) in seen:
            continue
        seen.add((span.trace, span.span))
        said = span.attributes
        if said.get("gen_ai.operation.name") == "execute_tool" or span.name.startswith("operation "):
            arguments = _json(said.get("gen_ai.tool.call.arguments"))
            name = said.get(OPERATION) or arguments.get("reference")
            if isinstance(name, str):
                payload = json.dumps(arguments, sort_keys=True) if arguments else None
                calls[span.trace, span.span] = (name, payload)
                _call(known.setdefault(name, Evidence()), span)
        elif "http.request.method" in said:
            requests.append(span)
        elif isinstance(name := said.get(OPERATION), str):
            _look(known.setdefault(name, Evidence()), span)
    for request in requests:
        name, payload = calls.get((request.trace, request.parent or ""), (None, None))
        if name is not None:
            _request(known[name], request, payload)
    return known


def _call(one: Evidence, span: Span) -> None:
    one.spans += 1
    one.last = max(one.last, span.ended)
    one.failed = one.failed or span.failed
    result = _json(span.attributes.get("gen_ai.tool.call.result"))
    _look(one, span)
    if isinstance(ref := result.get("id"), str):
        _show(one, ref, span.ended, promised=ref.startswith(tuple(resource[:3] for resource in ASYNC)))


def _look(one: Evidence, span: Span) -> None:
    said = span.attributes
    ref, count = said.get("counterfoil.effect.ref"), said.get("counterfoil.effect.count")
    if said.get("counterfoil.effect.authoritative") is not True:
        return
    if isinstance(ref, str):
        promised = said.get("counterfoil.effect.stage") == "accepted"
        if count == 0:
            one.gone[ref] = max(one.gone.get(ref, 0), span.started)
        else:
            _show(one, ref, span.ended, promised=promised)
    elif isinstance(count, int):
        one.counts.append((count, span.started))
        one.refuted = one.refuted or said.get("counterfoil.effect.conforms") is False


def _show(one: Evidence, ref: str, at: int, *, promised: bool) -> None:
    if promised:
        one.promised[ref] = max(one.promised.get(ref, 0), at)
    else:
        one.made.add(ref)


def _request(one: Evidence, span: Span, payload: str | None) -> None:
    one.last = max(one.last, span.ended)
    status = span.attributes.get("http.response.status_code")
    one.requests += span.attributes.get("http.request.method") == "POST"
    one.unsent += span.attributes.get("error.type") in NOT_CONNECTED
    one.accepted = one.accepted or status == 202
    one.failed = one.failed or span.failed or not isinstance(status, int) or status >= 400
    keys = span.attributes.get("http.request.header.idempotency-key") or []
    if payload is not None and keys and span.attributes.get("http.request.method") == "POST":
        path = str(span.attributes.get("url.full", "")).partition("?")[0].split("/")[3:]
        space = "/".join(path[:2] if path[:1] == ["scoped"] else path[:1])
        one.payloads.setdefault(f"{space} {keys[0]}", set()).add(payload)


def from_facts(facts: Iterable[Fact]) -> Evidence:
    """The same, out of what a ledger holds of one operation."""
    one = Evidence()
    began, ended = set[str](), set[str]()
    for fact in facts:
        if isinstance(fact, Attempt):
            (began if fact.transport is Transport.STARTED else ended).add(fact.attempt_id)
            one.spans += 1
            one.last = max(one.last, fact.observed_at)
            one.accepted = one.accepted or fact.http_status == 202
        elif isinstance(fact, Effect) and fact.authoritative:
            one.refuted = one.refuted or fact.conforms is False
            if fact.effect_ref is None:
                one.counts += [(fact.count, fact.observed_at)] if fact.count is not None else []
            elif fact.count == 0:
                one.gone[fact.effect_ref] = max(one.gone.get(fact.effect_ref, 0), fact.observed_at)
            else:
                _show(one, fact.effect_ref, fact.observed_at, promised=fact.stage == "accepted")
    one.failed = True
    one.begun = len(began - ended)
    return one


def _conflicts(known: Mapping[str, Evidence]) -> set[str]:
    """The operations of whose keys two payloads arrived."""
    uses: dict[str, tuple[set[str], set[str]]] = {}
    for name, one in known.items():
        for key, payloads in one.payloads.items():
            names, seen = uses.setdefault(key, (set(), set()))
            names.add(name)
            seen |= payloads
    return set().union(*(names for names, seen in uses.values() if len(seen) > 1))


def _json(value: Any) -> dict[str, Any]:
    try:
        made = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return {}
    return made if isinstance(made, dict) else {}
