"""By what operations may be related: an idempotency key, a reference, a business intent.

A link is a digest, so that it is short, says nothing, and can be an index's key. It is made from one fact alone, so
that it can be written beside it: two operations that share something have a link in common, but not the other way
round (one key in two scopes has one link). The core decides; a link only says whom to ask.
"""

from __future__ import annotations

from hashlib import blake2b

from counterfoil.facts import Attempt, Effect, Fact, Intent
from counterfoil.holdings import is_sighting, shown_by
from counterfoil.reading.hashing import fingerprint

Link = bytes

KEY, REFERENCE, INTENT = b"k", b"r", b"i"
"""The first byte of a link. The other fifteen are a digest: a collision costs a look at a stranger, no more."""


def links_of(fact: Fact) -> tuple[Link, ...]:
    """The links that one fact gives its operation."""
    if isinstance(fact, Attempt):
        return (_key(fact.idempotency_key),) if isinstance(fact.idempotency_key, str) else ()
    if isinstance(fact, Intent):
        key = () if fact.idempotency_key is None else (_key(fact.idempotency_key),)
        return key if fact.intent_ref is None else (*key, _link(INTENT, fact.intent_ref))
    if isinstance(fact, Effect) and is_sighting(fact):
        return tuple(_link(REFERENCE, ref) for ref in shown_by(fact))
    return ()


def _key(key: str) -> Link:
    """Of the fingerprint, as the key is read back."""
    return _link(KEY, fingerprint(key))


def _link(kind: bytes, name: str) -> Link:
    return kind + blake2b(name.encode("utf-8", "surrogatepass"), digest_size=15).digest()
