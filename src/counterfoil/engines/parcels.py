"""What goes from one keyed stage to the next: some facts of one operation, and to whom they go.

An address is an operation, or a link that operations have in common (`ledger.links`), or everybody in a bucket, who is
told of gaps. A row costs more than a fact, so all parcels from one bucket to another of the same kind travel as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from counterfoil.engines.buckets import bucket_of
from counterfoil.engines.frames import framed, unframed
from counterfoil.ledger.links import INTENT, KEY, REFERENCE, Link

OPERATION, EVERYBODY = "o", "g"
LINK_KINDS = {kind[0]: kind.decode() for kind in (KEY, REFERENCE, INTENT)}
OF_KEY, OF_REFERENCE, OF_INTENT = LINK_KINDS.values()

SCHEMA = "bucket INT, kind STRING, parcels BINARY"
"""``kind``: the first letter of the addresses of all parcels in a row."""


class Parcel(NamedTuple):
    """``to``: an address. ``about``: the operation's id, empty for gaps. ``links``: addresses that it has; to the first
    stage those that these facts give it, later those of all its business intents."""

    to: str
    about: str
    facts: bytes
    links: Sequence[str] = ()


class Carried(NamedTuple):
    """A row of `SCHEMA`."""

    bucket: int
    kind: str
    parcels: bytes


def carried(parcels: Iterable[Parcel]) -> Iterator[Carried]:
    """As few rows as can be, for addresses that have one bucket."""
    sorted_out: dict[tuple[int, str], list[Parcel]] = defaultdict(list)
    for one in parcels:
        sorted_out[bucket_of(one.to), one.to[0]].append(one)
    for (bucket, kind), some in sorted_out.items():
        yield Carried(bucket, kind, sealed(some))


def sealed(parcels: Iterable[Parcel]) -> bytes:
    return framed(([one.to, one.about, one.links], one.facts) for one in parcels)


def opened(parcels: bytes) -> Iterator[Parcel]:
    for (to, about, links), facts in unframed(parcels):
        yield Parcel(to, about, facts, links)  # type: ignore[arg-type]  # as `sealed` wrote it


def to_operation(name: str) -> str:
    return OPERATION + name


def to_link(link: Link) -> str:
    return LINK_KINDS[link[0]] + link[1:].hex()


def together(records: Iterable[bytes]) -> bytes:
    """Records as one text. A record is JSON, so no line break is in one."""
    return b"\n".join(records)


def apart(facts: bytes) -> list[bytes]:
    return bytes(facts).split(b"\n") if facts else []


def packed(facts: Mapping[str, bytes]) -> bytes:
    """Facts of several operations as one text: a line with the name of each, as JSON, before the records of it."""
    return b"\n".join(part for about, some in sorted(facts.items()) if some for part in (orjson.dumps(about), some))


def unpacked(parts: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Every record of such texts, with its operation."""
    about = ""
    for part in parts:
        for line in part.split(b"\n"):
            if line.startswith(b'"'):  # a record begins with a bracket
                about = orjson.loads(line)
            elif line:
                yield about, line
