"""What goes from one keyed stage to the next: some facts of one operation, and to whom they go.

An address is an operation, or a link that operations have in common (`ledger.links`), or a group of operations that
are told of gaps together. Facts of one key travel as one row, because a row costs more than a fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from counterfoil.ledger.links import INTENT, KEY, REFERENCE, Link

OPERATION, GROUP = "o", "g"
LINK_KINDS = {kind[0]: kind.decode() for kind in (KEY, REFERENCE, INTENT)}
OF_KEY, OF_REFERENCE, OF_INTENT = LINK_KINDS.values()

GROUPS = 64
"""So many groups share the work of telling every operation of a gap."""

SCHEMA = "`to` STRING, about STRING, facts BINARY, intents STRING"


class Parcel(NamedTuple):
    """``about``: the operation's id, empty for gaps. ``intents``: the addresses of all business intents it has."""

    to: str
    about: str
    facts: bytes
    intents: str = ""


def to_operation(name: str) -> str:
    return OPERATION + name


def to_link(link: Link) -> str:
    return LINK_KINDS[link[0]] + link[1:].hex()


def to_group(name: str) -> str:
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return f"{GROUP}{int.from_bytes(digest) % GROUPS}"


def together(records: Iterable[bytes]) -> bytes:
    """Records as one text. A record is JSON, so no line break is in one."""
    return b"\n".join(records)


def apart(facts: bytes) -> list[bytes]:
    return bytes(facts).split(b"\n") if facts else []
