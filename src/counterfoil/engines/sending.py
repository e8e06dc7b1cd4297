"""The first keyed stage: an operation's facts are kept, and sent to all with whom it may have to be judged.

Facts are appended, never rewritten, so that the thousandth costs what the first did. They are read again only when the
operation turns out to have one more link. A fact that was sent twice is kept and sent on twice; the judge sees a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from counterfoil.engines.parcels import GROUP as TO_GROUP
from counterfoil.engines.parcels import GROUPS, OF_INTENT, Parcel, apart, to_group, to_link, to_operation, together
from counterfoil.ledger.links import links_of
from counterfoil.ledger.packing import fact_of


class Sending(StatefulProcessor):
    """Keyed by operation id. The empty one stands for gaps, which every group is told of."""

    def __init__(self, keep_s: int) -> None:
        self._keep_ms = keep_s * 1_000

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._facts = handle.getListState("facts", "facts BINARY", self._keep_ms)
        self._links = handle.getListState("links", "link STRING", self._keep_ms)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        name: str = key[0]
        news = list(dict.fromkeys(bytes(row[1]) for row in rows))
        sent = _to_groups(news) if not name else self._to_sharers(name, news)
        return (Row(**parcel._asdict()) for parcel in sent)

    def _to_sharers(self, name: str, news: list[bytes]) -> Iterator[Parcel]:
        known = {str(link[0]) for link in self._links.get()}
        found = {to_link(link) for record in news for link in links_of(fact_of(name, record))}
        group = to_group(name)
        gained = sorted(found.union({group}) - known)
        earlier = [record for some in self._facts.get() for record in apart(some[0])] if gained and known else []
        self._facts.appendValue((together(news),))  # one entry: thousands at once take Spark minutes
        if gained:
            self._links.appendList([(link,) for link in gained])

        intents = ",".join(sorted(link for link in known | found if link.startswith(OF_INTENT)))
        fresh = together(news)
        yield Parcel(to_operation(name), name, fresh)
        for link in sorted(known - {group}):
            yield Parcel(link, name, fresh, intents)
        for link in gained:
            yield Parcel(link, name, b"" if link == group else together((*earlier, *news)), intents)


def _to_groups(gaps: list[bytes]) -> Iterator[Parcel]:
    for number in range(GROUPS):
        yield Parcel(f"{TO_GROUP}{number}", "", together(gaps))
