"""What is known of one call while its spans are open: scalars only, the spans themselves are let go."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterfoil.facts import Reported, Transport
from counterfoil.reading.genai import ToolCall
from counterfoil.reading.http import Ending, Target
from counterfoil.reading.own import NOTHING, Own
from counterfoil.reading.requests import Request
from counterfoil.reading.views import Ids, hex_ids

MAX_DISPATCHES = 256
"""So many requests are kept of one call."""

MAX_EFFECTS = 64
"""So many spans with effects, and as many claims, wait for the name of the call that they are part of."""


@dataclass(slots=True)
class Dispatched:
    """One request that left for the outside, or was about to. ``key`` is fingerprinted."""

    ids: Ids
    target: Target
    started_at: int
    process: str | None = None
    declared: str | None = None  # the operation that was declared for it, where that isn't the call's
    said: Own = NOTHING
    key: str | None = None
    keyless: bool = False  # it is known to have been sent without one
    ended_at: int | None = None
    ending: Ending | None = None
    wire_requests: int | None = None
    replayed: bool = False
    refs: tuple[str, ...] = ()
    inner: bool = False  # a request of a lower library stands for this one
    stated: bool = False  # that it was started is a fact already

    @property
    def attempt_id(self) -> str:
        return "/".join(hex_ids(self.ids))

    @property
    def was_sent(self) -> bool:
        return not (self.ending is not None and self.ending.not_sent) and self.said.executed is not False

    @property
    def is_clean(self) -> bool:
        return self.ending is not None and self.ending.is_clean


@dataclass(slots=True)
class Shown:
    """A span that shows effects, or claims something, and waits for a name."""

    ids: Ids
    said: Own
    started_at: int
    ended_at: int
    process: str | None
    is_claim: bool = False


@dataclass(slots=True)
class Route:
    """Who answered a consultation: which provider and model received the prompt, and whether the history with it."""

    provider: str | None = None
    model: str | None = None
    forwarded: bool | None = None
    invalid: bool = False


@dataclass(slots=True)
class Resolved:
    """What a call came to. ``target`` is where its attempts went; None where the call itself is the one attempt."""

    operation_id: str
    id_source: str | None
    target: Target | None
    attempt_id: str | None


@dataclass(slots=True)
class Call:
    """A tool's call, or another span for which an operation was declared, and all that happens below it.

    ``tool`` is None for a span that is no tool's; ``named``: the tool that such a span names nonetheless, as a stated
    operation's does. ``taken`` is a name that was declared outside of the agent's run, and
    is this call's only if no other call there has it.
    """

    ids: Ids
    started_at: int
    process: str | None
    scope: str | None = None
    tool: ToolCall | None = None
    said: Own = NOTHING
    request: Request = field(default_factory=Request)
    declared: str | None = None
    replay: bool = False
    delegates: bool = False
    below: list[str] = field(default_factory=list)  # operations declared for spans below this one
    dispatches: list[Dispatched] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    resolved: Resolved | None = None
    overflow: int = 0  # what found no room
    ended_at: int | None = None
    advice: str | None = None  # whether an advisor was asked before it, where the operator requires that
    route: Route | None = None  # an advisor's run lies below it
    seen_by: tuple[str | None, ...] = ()  # other instrumentations that told of this call
    named: str | None = None

    def dispatch(self, one: Dispatched) -> None:
        if len(self.dispatches) < MAX_DISPATCHES:
            self.dispatches.append(one)
        else:
            self.overflow += 1

    def show(self, one: Shown) -> None:
        if len(self.shown) < MAX_EFFECTS:
            self.shown.append(one)
        else:
            self.overflow += 1

    def take_request(self, request: Request) -> None:
        """What another view of this call shows of its request, where this one showed nothing."""
        if self.request.payload_hash is None and self.resolved is None:
            self.request = request

    def declare_below(self, operation_id: str) -> None:
        if operation_id not in self.below and len(self.below) < MAX_EFFECTS:
            self.below.append(operation_id)

    @property
    def name(self) -> str | None:
        return self.tool.tool if self.tool is not None else self.named


@dataclass(frozen=True, slots=True)
class CallEnd:
    """How a call's own span ended; ``at`` is None where it was never seen to."""

    at: int | None
    transport: Transport
    reported: Reported | None = None
    executed: bool | None = None
    proof: str | None = None
    refs: tuple[str, ...] = ()
    operation_id: str | None = None
    intent_ref: str | None = None
