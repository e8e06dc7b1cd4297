"""Facts of one operation put together before they go to the first stage: a row costs more than a fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from counterfoil.engines.buckets import bucket_of
from counterfoil.engines.parcels import to_link, to_operation, together
from counterfoil.ledger.links import links_of
from counterfoil.ledger.packing import fact_of


class Gathered(NamedTuple):
    """Facts of one operation, each once, and the addresses of the links that they give it. Gaps have no name."""

    bucket: int
    name: str
    facts: bytes
    links: str


def gathered(addressed: Iterable[tuple[str, bytes]], at_once: int) -> Iterator[Gathered]:
    """By operation, out of so many facts at once."""
    facts = iter(addressed)
    while some := list(islice(facts, at_once)):
        known: dict[str, dict[bytes, None]] = {}
        for name, record in some:
            known.setdefault(name, {})[record] = None
        for name, records in known.items():
            links = {to_link(link) for record in records for link in links_of(fact_of(name, record))} if name else ()
            yield Gathered(bucket_of(to_operation(name)), name, together(records), ",".join(sorted(links)))
