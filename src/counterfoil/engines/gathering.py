"""Facts of one operation put together before they go to the first stage: a row costs more than a fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from counterfoil.engines.buckets import bucket_of
from counterfoil.engines.parcels import to_link, to_operation, together
from counterfoil.ledger.links import Link
from counterfoil.ledger.packing import Row


class Gathered(NamedTuple):
    """Facts of one operation, each once, and the addresses of the links that they give it. Gaps have no name."""

    bucket: int
    name: str
    facts: bytes
    links: str


def gathered(facts: Iterable[Row], at_once: int) -> Iterator[Gathered]:
    """By operation, out of so many facts at once."""
    rows = iter(facts)
    while some := list(islice(rows, at_once)):
        known: dict[str, tuple[dict[bytes, None], set[Link]]] = {}
        for row in some:
            records, links = known.setdefault(row.operation_id, ({}, set()))
            records[row.record] = None
            links.update(row.links)
        for name, (records, links) in known.items():
            to = ",".join(sorted(map(to_link, links)))
            yield Gathered(bucket_of(to_operation(name)), name, together(records), to)
