"""A timeline as shapes with coordinates: time to the right on a wide page, downwards on a narrow one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from counterfoil.drawing.moments import Lane, Moment, Moments
from counterfoil.drawing.scale import after, fitted, growing
from counterfoil.drawing.tones import Tone
from counterfoil.drawing.tracks import Track, tracks_of
from counterfoil.printable import printable

APART = 34.0
"""Marks are that far from each other along the axis at least, in pixels: they are 30 wide with their ring."""

CHARACTER = 7.2
"""The width of one character of a label, in pixels."""

WIDE, NAMES, RIGHT, HEAD = 800.0, 122.0, 104.0, 12.0
TALL, TIMES, TOP = 328.0, 94.0, 40.0
TRACK, PITCH, LABEL = 44.0, 40.0, 74.0
UNKNOWN_GAP, UNKNOWN_FROM = 92.0, 54.0
RING = 7.0
"""So much wider is a mark that has a ring."""
MOST_WIDE = int((WIDE - NAMES - RIGHT - UNKNOWN_GAP) / APART)
"""More moments than this are drawn downwards on a wide page, too."""

EMPTY = {
    Lane.MEANT: "no intent is on record",
    Lane.SENT: "no attempt is on record",
    Lane.TARGET: "nobody has looked",
    Lane.SAID: "",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One moment at its place, with as much of its label as there is room for, which may be nothing."""

    moment: Moment
    x: float
    y: float
    label: str
    label_x: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One attempt from its first view to its last. ``open_ended``: it was never seen to end."""

    x: float
    y: float
    to_x: float
    to_y: float
    tone: Tone
    open_ended: bool


@dataclass(frozen=True, slots=True)
class Band:
    """One lane: its place, and the words for a lane in which nothing is."""

    lane: Lane
    x: float
    y: float
    width: float
    height: float
    empty: str


@dataclass(frozen=True, slots=True)
class Tick:
    """When: a time after the first moment. ``text`` is empty where there is no room for it."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """All shapes of one timeline. ``unknown_at``: from there on along the axis, times are not known."""

    width: float
    height: float
    down: bool
    bands: tuple[Band, ...]
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    unknown_at: float | None


def to_the_right(told: Moments) -> Drawing:
    """For a page at least `WIDE` pixels wide; downwards if there are more than `MOST_WIDE` moments."""
    if len(told.drawn) > MOST_WIDE:
        return downwards(told)
    tracks = tracks_of(told)
    length = WIDE - NAMES - RIGHT - (UNKNOWN_GAP + APART * len(told.unknown) if told.unknown else 0)
    along = [NAMES + place for place in _along(told, fitted(_times(told), apart=APART, length=length))]
    across = [HEAD + TRACK * (number + 0.5) for number in range(len(tracks))]
    spots = [(along[n], across[_number(tracks, n)]) for n in range(len(told.drawn))]
    bottom = HEAD + TRACK * len(tracks)
    bars = _bars(told, tracks, along, across, (along[len(told.known) - 1] + 30) if told.known else 0)
    marks = [
        _labelled(moment, x, y, _room(spots, x, y), bars) for moment, (x, y) in zip(told.drawn, spots, strict=True)
    ]
    bands = [
        Band(lane, 0, HEAD + TRACK * start, WIDE, TRACK * many, "" if used else EMPTY[lane])
        for lane, start, many, used in _lanes(tracks)
    ]
    ticks, free = [], 0.0
    for (x, _), text in zip(spots, _texts(told), strict=True):
        half = len(text) * CHARACTER / 2
        shown = text if x - half >= free and text else ""
        free = x + half + 8 if shown else free
        ticks.append(Tick(x, bottom + 18, shown))
    unknown = along[len(told.known)] - UNKNOWN_GAP + UNKNOWN_FROM if told.unknown else None
    return Drawing(WIDE, bottom + 28, False, tuple(bands), tuple(bars), tuple(marks), tuple(ticks), unknown)


def downwards(told: Moments) -> Drawing:
    """For a phone, and for many moments. Wider than `TALL` only where more attempts ran at once than fit."""
    tracks = tracks_of(told)
    along = [TOP + 22 + place for place in _along(told, growing(_times(told), apart=APART, most=90))]
    across = [TIMES + PITCH * (number + 0.5) for number in range(len(tracks))]
    edge = TIMES + PITCH * len(tracks)
    broad = max(TALL, edge + LABEL)
    height = (along[-1] if along else TOP) + 28
    spots = [(across[_number(tracks, n)], along[n]) for n in range(len(told.drawn))]
    marks = [
        Mark(moment, x, y, _cut(moment.label, broad - edge - 10), edge + 8)
        for moment, (x, y) in zip(told.drawn, spots, strict=True)
    ]
    bands = [Band(lane, TIMES + PITCH * start, 0, PITCH * many, height, "") for lane, start, many, _ in _lanes(tracks)]
    ticks = [Tick(TIMES - 10, y, text) for (_, y), text in zip(spots, _texts(told), strict=True)]
    flat = _bars(told, tracks, along, across, (along[len(told.known) - 1] + 22) if told.known else 0)
    bars = [Bar(bar.y, bar.x, bar.to_y, bar.to_x, bar.tone, bar.open_ended) for bar in flat]
    unknown = along[len(told.known)] - UNKNOWN_GAP + UNKNOWN_FROM if told.unknown else None
    return Drawing(broad, height, True, tuple(bands), tuple(bars), tuple(marks), tuple(ticks), unknown)


def _times(told: Moments) -> list[int]:
    return [moment.event.fact.observed_at for moment in told.known]


def _along(told: Moments, known: list[float]) -> list[float]:
    """The known ones, a break, and then those without a time, evenly: no distance is claimed for them."""
    start = known[-1] + UNKNOWN_GAP if known else 0.0
    return [*known, *(start + APART * n for n in range(len(told.unknown)))]


def _texts(told: Moments) -> list[str]:
    times = _times(told)
    texts = [after(time - times[0]) for time in times]
    return [*texts, *("" for _ in told.unknown)]


def _number(tracks: Sequence[Track], place: int) -> int:
    return next(number for number, track in enumerate(tracks) if place in track.places)


def _lanes(tracks: Sequence[Track]) -> list[tuple[Lane, int, int, bool]]:
    """Each lane, the number of its first track, how many it has, and whether anything is in it."""
    found = []
    for lane in Lane:
        numbers = [number for number, track in enumerate(tracks) if track.lane is lane]
        found.append((lane, numbers[0], len(numbers), any(tracks[number].places for number in numbers)))
    return found


def _bars(
    told: Moments, tracks: Sequence[Track], along: Sequence[float], across: Sequence[float], end: float
) -> list[Bar]:
    bars = []
    for number, track in enumerate(tracks):
        for span in track.spans:
            to = max(end, along[span.last]) if span.open_ended else along[span.last]
            if to > along[span.first]:
                bars.append(Bar(along[span.first], across[number], to, across[number], span.tone, span.open_ended))
    return bars


def _room(spots: Sequence[tuple[float, float]], x: float, y: float) -> float:
    """How far it is to the next mark of the same track, or to the edge."""
    return min((other for other, level in spots if level == y and other > x), default=WIDE + 14) - x


def _labelled(moment: Moment, x: float, y: float, room: float, bars: Sequence[Bar]) -> Mark:
    """An attempt's end is named on its bar where it fits there, everything else beside its mark. A mark from which a
    bar goes on needs no words."""
    closed = [bar for bar in bars if bar.y == y and not bar.open_ended]
    if any(bar.x <= x < bar.to_x for bar in closed):
        return Mark(moment, x, y, "", x)
    for bar in (bar for bar in closed if bar.to_x == x):
        along = bar.to_x - bar.x
        if (wide := width(moment.label)) <= along - 34:
            return Mark(moment, x, y, moment.label, bar.x + (along - wide) / 2)
    start = 19 + RING * moment.event.bears_out
    return Mark(moment, x, y, _cut(moment.label, room - start - 20), x + start)


def _cut(label: str, room: float) -> str:
    """As much of a label as there is room for, with a mark where it was cut; nothing where that says nothing."""
    shown = printable(label[:64])
    if len(label) <= 64 and width(shown) <= room:
        return shown
    kept = 0
    while kept < len(shown) and width(shown[: kept + 1]) + CHARACTER <= room:
        kept += 1
    return f"{shown[:kept]}…" if kept >= 4 else ""


def width(text: str) -> float:
    """How wide a text is, in pixels, generously: fonts differ. East Asian characters are as wide as two others."""
    return sum(CHARACTER * (2 if east_asian_width(character) in "WF" else 1) for character in text)
