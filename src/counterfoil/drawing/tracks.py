"""Lanes are made of tracks: attempts that ran at the same time lie beside each other."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterfoil.drawing.moments import Lane, Moments
from counterfoil.drawing.tones import Tone


@dataclass(frozen=True, slots=True)
class Span:
    """One attempt by the places of its first and its last view."""

    first: int
    last: int
    tone: Tone
    open_ended: bool


@dataclass(slots=True)
class Track:
    """One line of a lane, with the places of the moments on it."""

    lane: Lane
    places: set[int] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    free_from: int = 0


def tracks_of(told: Moments) -> list[Track]:
    """Every lane has one track at least, for it says something that a lane is empty."""
    tracks: list[Track] = []
    for lane in Lane:
        if lane is Lane.SENT:
            tracks += _attempts(told)
        else:
            places = {place for place, moment in enumerate(told.drawn) if moment.lane is lane}
            tracks.append(Track(lane, places))
    return tracks


def _attempts(told: Moments) -> list[Track]:
    """The first track that is free takes the next attempt; one that never ended keeps its track to the end."""
    places: dict[int | None, list[int]] = {}
    for place, moment in enumerate(told.drawn):
        if moment.lane is Lane.SENT:
            places.setdefault(moment.attempt, []).append(place)
    tracks = [Track(Lane.SENT)]
    for own in sorted(places.values()):
        last = told.drawn[own[-1]]
        open_ended = all(told.drawn[place].under_way for place in own)
        until = len(told.known) if open_ended and last.event.time_known else own[-1]
        track = next((track for track in tracks if track.free_from <= own[0]), None)
        if track is None:
            tracks.append(track := Track(Lane.SENT))
        track.places.update(own)
        track.spans.append(Span(own[0], own[-1], last.tone, open_ended))
        track.free_from = until + 1
    return tracks
