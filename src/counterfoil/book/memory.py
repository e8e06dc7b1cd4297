"""What is left of operations that were forgotten: a few bytes each, so that none of them can be acquitted later."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from counterfoil.ledger.links import INTENT, REFERENCE, Link
from counterfoil.verdicts import Verdict

FOR_EACH = 10
"""So many forgotten operations are remembered for each one that is known in full."""

Left = tuple[int, Verdict | None]
"""The last revision that was told, and the incident that was open."""


@dataclass(slots=True)
class Forgotten:
    """Names of forgotten operations, and what they shared or might have shared, as digests; ``room`` of each.

    Of more, the oldest is lost; from then on an operation that nobody is known to have meant may be one of them.
    """

    room: int
    is_lossy: bool = False
    _left: OrderedDict[bytes, Left] = field(default_factory=OrderedDict)
    _links: OrderedDict[Link, None] = field(default_factory=OrderedDict)

    def add(self, operation_id: str, revision: int, incident: Verdict | None, links: Iterable[Link]) -> None:
        self._left[_digest(operation_id)] = (revision, incident)
        if len(self._left) > self.room:
            self._left.popitem(last=False)
            self.is_lossy = True
        for link in links:
            if link[:1] in (REFERENCE, INTENT):  # what a conviction may fall with; a key's other use only adds one
                self._links[link] = None
                if len(self._links) > self.room:
                    self._links.popitem(last=False)

    def shared(self, links: Iterable[Link]) -> bool:
        """Whether an operation that was forgotten had one of these."""
        return bool(self._links) and any(link in self._links for link in links)

    def recall(self, operation_id: str) -> Left | None:
        """What is left of an operation, which is then known again."""
        return self._left.pop(_digest(operation_id), None) if self._left else None


def _digest(operation_id: str) -> bytes:
    return blake2b(operation_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
