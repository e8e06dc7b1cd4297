"""How far a topic is read: what a checkpoint keeps, and what a micro-batch takes of what there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

By = Mapping[int, int]
"""An offset for each partition of a topic."""


class Kept(TypedDict):
    """An offset as a checkpoint keeps it. ``topic_id``: the brokers' own name for this topic, which another that is
    made under the same name doesn't get. ``next``: by partition, the first offset that was not taken."""

    topic_id: str
    next: dict[str, int]


def kept(topic_id: str, following: By) -> Kept:
    return {"topic_id": topic_id, "next": {str(partition): following[partition] for partition in sorted(following)}}


def begun(known: Kept, partitions: By) -> dict[int, int]:
    """Where to go on in each of these partitions. One that the topic didn't have before is read from its beginning."""
    return {partition: known["next"].get(str(partition), 0) for partition in partitions}


def bounded(starts: By, ends: By, most: int | None) -> dict[int, int]:
    """Up to where to read, so that no more than ``most`` offsets are taken, or all of them. What one partition doesn't
    need of its share is left to the others, so that none of them waits for a busier one."""
    if most is None:
        return dict(ends)
    taken: dict[int, int] = {}
    left = most
    waiting = sorted(starts, key=lambda partition: (ends[partition] - starts[partition], partition))
    for number, partition in enumerate(waiting):
        share = -(-left // (len(waiting) - number))
        fair = min(ends[partition] - starts[partition], share)
        taken[partition] = starts[partition] + fair
        left -= fair
    return taken


@dataclass(frozen=True, slots=True)
class Part:
    """Offsets of one partition, from ``start`` to before ``end``: what one task reads."""

    partition: int
    start: int
    end: int


def parts(start: Kept, end: Kept) -> list[Part]:
    """One for each partition of which there is something to be read."""
    ends = {int(partition): offset for partition, offset in end["next"].items()}
    starts = begun(start, ends)
    return [
        Part(partition, starts[partition], ends[partition]) for partition in ends if starts[partition] < ends[partition]
    ]
