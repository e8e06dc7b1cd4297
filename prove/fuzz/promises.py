"""What every reader promises for whatever bytes it is given. A function here returns, or raises what broke.

Readers of ours keep their own errors from the host and from the rest of a file. A fuzzer wants to see those, so a
promise looks for the mark that a kept error leaves, and makes it a failure.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from counterfoil.auditing.judging import judgements
from counterfoil.auditing.replays import history_judgements
from counterfoil.auditing.sources import Source
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.told import history_record
from counterfoil.config import Config
from counterfoil.explain import as_record
from counterfoil.histories.pydantic_stored import UnreadableHistory, loaded
from counterfoil.ledger.packing import fact_of, gap_of, rows_of
from counterfoil.reading.traces import BROKE
from counterfoil.receipts import NotAReceipt, verified
from counterfoil.verdicts import ACQUITTALS, Reason

KEPT_ERROR = "could not be read ("
"""How the audit notes a line at which a reader of ours broke, instead of finding it unusable."""

SECRET = b"a secret that no input knows"


class Broken(AssertionError):
    """A promise didn't hold."""


@dataclass(frozen=True)
class Given(Source):
    """Bytes as a file that the audit reads."""

    content: bytes = b""

    def chunks(self, progress: Callable[[int], None] = lambda read: None) -> Iterator[bytes]:
        progress(len(self.content))
        yield self.content


def audited(content: bytes) -> None:
    """A file is read to its end, no reader and no rule breaks, and nothing is acquitted for want of evidence."""
    intake = take_in([Given("given", len(content), content)])
    if noted := [note for note in intake.notes if KEPT_ERROR in note]:
        raise Broken(noted[0])
    if intake.spilled[BROKE]:
        raise Broken("reading spans broke")
    for judgement in judgements(intake):
        orjson.dumps(as_record(judgement))
        operation = judgement.operation
        shown = operation.is_read or any(look.authoritative for look in operation.looks)
        if operation.unreadable and judgement.outcome in ACQUITTALS and not shown:
            raise Broken("an operation was acquitted although a part of its evidence is unreadable")
        if judgement.reason is Reason.UNREADABLE and not operation.unreadable:
            raise Broken("a rule broke")
    for judged in history_judgements(intake):
        orjson.dumps(history_record(judged))


def configured(content: bytes) -> None:
    """Whatever a settings file holds, the agent starts, and what is wrong is said with a way out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counterfoil.toml"
        path.write_bytes(content)
        config, problems = Config.load({"COUNTERFOIL_CONFIG": str(path)})
    config.tool("anything")
    for problem in problems:
        if not str(problem).strip():
            raise Broken("a problem was told in no words")


def history_loaded(content: bytes) -> None:
    """A stored message list is read, or refused in plain words."""
    try:
        loaded(content)
    except UnreadableHistory as refused:
        if not str(refused).strip():
            raise Broken("a list was refused in no words") from None


def row_read(content: bytes) -> None:
    """A damaged ledger row leaves doubt. What could be read is written again as it was."""
    gap_of(content)
    fact = fact_of("op-1", content)
    (row,) = rows_of([fact]).facts
    if fact_of("op-1", row.record) != fact:
        raise Broken("a fact was read otherwise than it was written")


def receipt_checked(content: bytes) -> None:
    """No bytes pass for a receipt that was signed with a secret which they don't know."""
    try:
        record = orjson.loads(content)
    except ValueError:
        return
    try:
        verified(record, SECRET)
    except NotAReceipt:
        return
    raise Broken("a receipt was forged")


PROMISES: Mapping[str, Callable[[bytes], None]] = {
    "audit": audited,
    "settings": configured,
    "history": history_loaded,
    "row": row_read,
    "receipt": receipt_checked,
}
