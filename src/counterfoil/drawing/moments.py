"""The moments of a timeline: which facts of an operation are drawn, in which lane, and in what words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from counterfoil.dispatch import Dispatch
from counterfoil.drawing.tones import Tone, label_of, tone_of
from counterfoil.facts import HUMAN, Attempt, Claim, Effect, Fact, Intent, Transport
from counterfoil.five_facts import Event, timeline
from counterfoil.judge import Judgement
from counterfoil.operations import Operation
from counterfoil.printable import shortened

MOST_MARKS = 40
"""So many facts of one operation are drawn: witnesses first, then the earliest and the latest. Others are counted."""

MOST_SAID = 300
"""Characters of one line of the list."""


class Lane(StrEnum):
    """Whose word a moment is."""

    MEANT = "meant"
    SENT = "sent"
    TARGET = "target"
    SAID = "said"


class Shape(StrEnum):
    """What a mark looks like, besides its colour."""

    INTENT = "intent"
    ATTEMPT = "attempt"
    EFFECT = "effect"
    LOOK = "look"
    PERSON = "person"
    CLAIM = "claim"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Moment:
    """One fact that is drawn. ``number`` is its place in the order of time, ``attempt`` which attempt it shows, from 1.

    ``notes`` say what its clock or its client did that a reader must know.
    """

    number: int
    event: Event
    lane: Lane
    shape: Shape
    tone: Tone
    label: str
    said: str
    attempt: int | None
    notes: tuple[str, ...]

    @property
    def who(self) -> str:
        """Its role in the story; a person's word is told as one."""
        return "person" if self.shape is Shape.PERSON else self.event.role

    @property
    def under_way(self) -> bool:
        """A view of an attempt that had not ended when it was taken."""
        return isinstance(self.event.fact, Attempt) and _begun(self.event.fact) and self.event.time_known


@dataclass(frozen=True, slots=True)
class Moments:
    """What is drawn of one operation; ``left_out`` facts are not."""

    drawn: tuple[Moment, ...]
    left_out: int
    dispatches: tuple[Dispatch, ...]

    @property
    def known(self) -> tuple[Moment, ...]:
        return tuple(moment for moment in self.drawn if moment.event.time_known)

    @property
    def unknown(self) -> tuple[Moment, ...]:
        return tuple(moment for moment in self.drawn if not moment.event.time_known)


def moments(judgement: Judgement, now: int) -> Moments:
    """``now``: nanoseconds since 1970; what was seen later than that has a clock ahead of ours."""
    operation = judgement.operation
    attempt_of = {view: n for n, dispatch in enumerate(operation.dispatches, 1) for view in dispatch.views}
    everything = list(timeline(judgement))
    events = _chosen(everything)
    drawn = []
    for number, event in enumerate(events, 1):
        attempt = attempt_of.get(event.fact) if isinstance(event.fact, Attempt) else None
        drawn.append(_moment(number, event, attempt, operation, now))
    return Moments(tuple(drawn), len(everything) - len(events), operation.dispatches)


def _chosen(events: Sequence[Event]) -> Sequence[Event]:
    if len(events) <= MOST_MARKS:
        return events
    places = range(len(events))
    from_both_ends = sorted(places, key=lambda place: min(place, len(events) - 1 - place))
    wanted = sorted(from_both_ends, key=lambda place: not events[place].bears_out)[:MOST_MARKS]
    return [events[place] for place in sorted(wanted)]


def _moment(number: int, event: Event, attempt: int | None, operation: Operation, now: int) -> Moment:
    lane, shape = _place(event)
    dispatch = operation.dispatches[attempt - 1] if attempt is not None else None
    said = shortened(event.what, MOST_SAID)
    if attempt is not None and len(operation.dispatches) > 1:
        said = f"attempt {attempt} of {len(operation.dispatches)}, {said}"
    return Moment(
        number=number,
        event=event,
        lane=lane,
        shape=shape,
        tone=tone_of(event.fact),
        label=label_of(event.fact),
        said=said,
        attempt=attempt,
        notes=tuple(_notes(event.fact, dispatch, operation, now)),
    )


def _place(event: Event) -> tuple[Lane, Shape]:
    match event.fact:
        case Intent():
            return Lane.MEANT, Shape.INTENT
        case Attempt():
            return Lane.SENT, Shape.ATTEMPT
        case Effect(source=source) if source == HUMAN:
            return Lane.SAID, Shape.PERSON
        case Effect():
            return Lane.TARGET, Shape.LOOK if event.role == "probe" else Shape.EFFECT
        case Claim():
            return Lane.SAID, Shape.CLAIM
    return Lane.SAID, Shape.UNREADABLE


def _begun(view: Attempt) -> bool:
    return bool(view.started_only) or view.transport is Transport.STARTED


def _notes(fact: Fact, dispatch: Dispatch | None, operation: Operation, now: int) -> list[str]:
    """Only what is true by the times as they were told: by how much the clocks of two hosts disagree, nobody knows."""
    notes = []
    if isinstance(fact, Attempt) and (fact.wire_requests or 1) > 1:
        notes.append(f"sent {fact.wire_requests} times by the client itself")
    if dispatch is not None and len(dispatch.views) > 1 and fact == dispatch.views[0]:
        begun = [view.observed_at for view in dispatch.views if _begun(view) and view.observed_at > 0]
        if 0 < fact.observed_at < min(begun, default=0):
            notes.append("by these clocks it ended before it began")
    if fact.observed_at > now:
        notes.append("its clock is ahead of the one that this page was made by")
    meant = [intent.observed_at for intent in operation.intents if intent.observed_at > 0]
    if isinstance(fact, Effect) and 0 < fact.observed_at < min(meant, default=0):
        notes.append("by these clocks it was seen before it was meant")
    return notes
