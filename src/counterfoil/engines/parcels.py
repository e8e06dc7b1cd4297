"""What goes from one keyed stage to the next: some facts of one operation, and to whom they go.

An address is an operation, or a link that operations have in common (`ledger.links`), or everybody in a bucket, who is
told of gaps. Facts of one operation travel as one row, because a row costs more than a fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import orjson

from counterfoil.engines.buckets import bucket_of
from counterfoil.ledger.links import INTENT, KEY, REFERENCE, Link

OPERATION, EVERYBODY = "o", "g"
LINK_KINDS = {kind[0]: kind.decode() for kind in (KEY, REFERENCE, INTENT)}
OF_KEY, OF_REFERENCE, OF_INTENT = LINK_KINDS.values()

FIRST_SCHEMA = "bucket INT, name STRING, facts BINARY, links STRING"
"""What the reader hands to the first stage: facts of one operation, and the addresses of the links they give it."""

SCHEMA = "bucket INT, `to` STRING, about STRING, facts BINARY, intents STRING"


class Parcel(NamedTuple):
    """``about``: the operation's id, empty for gaps. ``intents``: the addresses of all business intents it has."""

    bucket: int
    to: str
    about: str
    facts: bytes
    intents: str = ""


def parcel(to: str, about: str, facts: bytes, intents: str = "") -> Parcel:
    return Parcel(bucket_of(to), to, about, facts, intents)


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
