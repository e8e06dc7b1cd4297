"""Facts of one operation put together, and those for one bucket, before they go to the first stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from counterfoil.engines.parcels import Carried, Parcel, carried, to_link, to_operation, together
from counterfoil.ledger.links import Link
from counterfoil.ledger.packing import Row


def gathered(facts: Iterable[Row], at_once: int) -> Iterator[Carried]:
    """Facts of each operation, each once, with the addresses of the links that they give it, out of so many facts at
    once. Gaps have no name."""
    rows = iter(facts)
    while some := list(islice(rows, at_once)):
        known: dict[str, tuple[dict[bytes, None], set[Link]]] = {}
        for row in some:
            records, links = known.setdefault(row.operation_id, ({}, set()))
            records[row.record] = None
            links.update(row.links)
        yield from carried(
            Parcel(to_operation(name), name, together(records), sorted(map(to_link, links)))
            for name, (records, links) in known.items()
        )
