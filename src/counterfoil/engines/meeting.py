"""The second keyed stage, and the third: operations that share something get each other's facts.

The second is keyed by idempotency key and by effect reference, the third by business intent. They are two, because a
judge of an intent's effects must know who else shows one of them: whoever shares a reference with a member of an
intent is a guest there. That is as far as the core looks (`ledger.related`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from counterfoil.engines.parcels import GROUP, OF_INTENT, OF_REFERENCE, Parcel, apart, to_operation, together
from counterfoil.facts import Gap
from counterfoil.ledger.packing import rows_of

MOST = 1_000
"""Operations with one link that are judged together. With more, each of them is told that something was left out."""

CROWD = rows_of((Gap(what=f"it shares something with more than {MOST} operations", observed_at=0),)).gaps[0].record

News = dict[str, bytes]
"""By operation, what is new of it."""


class Meeting(StatefulProcessor):
    """Keyed by address. ``kinds``: those of addresses at which operations meet here; all others are passed on."""

    def __init__(self, kinds: str, keep_s: int) -> None:
        self._kinds = kinds
        self._keep_ms = keep_s * 1_000

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._facts = handle.getListState("facts", "about STRING, facts BINARY", self._keep_ms)
        self._members = handle.getListState("members", "name STRING, address STRING", self._keep_ms)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        at: str = key[0]
        came = [Parcel(row[0], row[1], bytes(row[2]), row[3]) for row in rows]
        if at[0] == GROUP and GROUP in self._kinds:
            sent = self._told_of_gaps(came)
        elif at[0] in self._kinds:
            sent = self._met(at, came)
        else:
            sent = iter(came)
        return (Row(**parcel._asdict()) for parcel in sent)

    def _told_of_gaps(self, came: list[Parcel]) -> Iterator[Parcel]:
        known = {bytes(gap[1]) for gap in self._facts.get()}
        fresh = {gap for parcel in came if not parcel.about for gap in apart(parcel.facts)} - known
        arrived = {parcel.about for parcel in came if parcel.about}
        if fresh:
            self._facts.appendList([("", gap) for gap in sorted(fresh)])
            for name in sorted({str(member[0]) for member in self._members.get()} - arrived):
                yield Parcel(to_operation(name), "", together(sorted(fresh)))
        if arrived:
            self._members.appendList([(name, "") for name in sorted(arrived)])
            if gaps := sorted(fresh | known):
                yield from (Parcel(to_operation(name), "", together(gaps)) for name in sorted(arrived))

    def _met(self, at: str, came: list[Parcel]) -> Iterator[Parcel]:
        """What is new goes to all who are here, and all that was here to who is new."""
        before = {(str(row[0]), str(row[1])) for row in self._members.get()}
        now = before.union((parcel.about, to) for parcel in came for to in _wanted(at, parcel))
        gained = now - before
        if gained:
            self._members.appendList(sorted(gained))
        names = {name for name, _ in now}
        if len(names) > MOST:
            reached = {name for name, _ in before} if len({name for name, _ in before}) <= MOST else set()
            yield from (Parcel(to_operation(name), "", CROWD) for name in sorted(reached | {p.about for p in came}))
            return
        news = _by_operation((parcel.about, parcel.facts) for parcel in came)
        old = _by_operation((row[0], bytes(row[1])) for row in self._facts.get()) if gained else {}
        self._facts.appendList(sorted(news.items()))
        for name, to in sorted(now):
            for facts in (old, news) if (name, to) in gained else (news,):
                yield from (Parcel(to, about, known) for about, known in sorted(facts.items()) if about != name)


def _wanted(at: str, parcel: Parcel) -> set[str]:
    """The addresses to which an operation that came here wants the facts of others to go. A guest wants none."""
    intents = {address for address in parcel.intents.split(",") if address}
    own = {to_operation(parcel.about)}
    if at[0] == OF_INTENT:
        return own if at in intents else set()
    return own | intents if at[0] == OF_REFERENCE else own


def _by_operation(known: Iterable[tuple[str, bytes]]) -> News:
    records: dict[str, dict[bytes, None]] = {}
    for about, facts in known:
        records.setdefault(about, {}).update(dict.fromkeys(apart(facts)))
    return {about: together(some) for about, some in records.items()}
