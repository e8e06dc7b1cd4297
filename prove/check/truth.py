"""What is true of each operation: the provider's book says what is held, the wire's notes say what was sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from prove.world.contracts import name_space
from prove.world.truth import HELD, pages


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as the wire noted it."""

    reference: str
    contract: str
    space: str
    key: str | None
    payload: str
    fault: str


@dataclass(slots=True)
class Truth:
    """``held``: the objects that took effect; ``otherwise``: those of them that aren't what was asked for.
    ``conflict``: a key of it went out with two payloads."""

    held: list[str] = field(default_factory=list)
    otherwise: list[str] = field(default_factory=list)
    promised: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    conflict: bool = False

    @property
    def repeated_unsafely(self) -> bool:
        """It was sent again so that no provider could know it for a repeat: under another key or none, or when the
        provider had forgotten the key and made another object."""
        if len(self.sent) < 2:
            return False
        names = {(one.space, one.key) for one in self.sent}
        forgotten = self.sent[0].contract == "expiring" and self.objects > len(names)
        return len(names) > 1 or None in {key for _, key in names} or forgotten

    @property
    def objects(self) -> int:
        """So many were made, whatever became of them."""
        return len(self.held) + len(self.promised)


def truth(folder: Path) -> Mapping[str, Truth]:
    """The truth about every operation of a recorded run that the world ever heard of."""
    known: dict[str, Truth] = {}
    with pages(folder / "truth.db") as book:
        rows = book.execute("SELECT ref, reference, state, as_asked FROM objects ORDER BY rowid")
        for ref, reference, state, as_asked in rows:
            one = known.setdefault(reference, Truth())
            (one.held if state == HELD else one.promised).append(ref)
            if state == HELD and not as_asked:
                one.otherwise.append(ref)
    users: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for line in (folder / "wire.jsonl").read_text(encoding="utf-8").splitlines():
        note = json.loads(line)
        space = name_space(note["contract"], note["account"])
        sent = Sent(note["reference"], note["contract"], space, note["key"], note["payload"], note["fault"])
        known.setdefault(sent.reference, Truth()).sent.append(sent)
        if sent.key is not None:
            payloads = users.setdefault((sent.contract, sent.space, sent.key), {})
            payloads.setdefault(sent.payload, set()).add(sent.reference)
    for payloads in users.values():
        for reference in set().union(*payloads.values()) if len(payloads) > 1 else ():
            known[reference].conflict = True
    return known
