"""Keys of state for Spark: operations by the hundred share one, because a key costs more than an operation.

Spark's Python workers answer each key with an Arrow batch of its own, however little is in it, and the state of a key
is chosen by a call of its own. So stages are keyed by bucket, and what is about one operation is an entry in its
map. The number of buckets is part of every checkpoint and never changes.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from itertools import count

BUCKETS = 96
"""So many partitions can have work. Any number of partitions that divides it gives each of them as many buckets."""

_MASK = 0xFFFF_FFFF
_SEED = 42


def bucket_of(address: str) -> int:
    """The key under which an address has its state; one of `keys`."""
    digest = blake2b(address.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return keys()[int.from_bytes(digest) % BUCKETS]


@cache
def keys() -> tuple[int, ...]:
    """The keys of all buckets: numbers that Spark's own hash lays out evenly, one for each remainder."""
    found: dict[int, int] = {}
    for number in count():
        found.setdefault(spark_hash(number) % BUCKETS, number)
        if len(found) == BUCKETS:
            break
    return tuple(found[remainder] for remainder in range(BUCKETS))


def spark_hash(number: int) -> int:
    """What Spark's SQL function `hash` says of one INT: Murmur3 for 32 bits. Its partition is the remainder of this."""
    mixed = _times(_rotated(_times(number & _MASK, 0xCC9E_2D51), 15), 0x1B87_3593)
    state = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE654_6B64) & _MASK
    state ^= 4  # bytes in an INT
    state = _times(state ^ state >> 16, 0x85EB_CA6B)
    state = _times(state ^ state >> 13, 0xC2B2_AE35)
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state


def _times(one: int, other: int) -> int:
    return one * other & _MASK


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> 32 - by) & _MASK
