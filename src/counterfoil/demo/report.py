"""The three columns of the demo, as data: what the provider holds, what transport alone says, what Counterfoil says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from counterfoil import names
from counterfoil.demo.exported import spans_in, transport, verdicts
from counterfoil.demo.provider.truth import HELD, Object, reading
from counterfoil.demo.world import Task
from counterfoil.verdicts import Finding, Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One story's end."""

    story: str
    task: Task
    objects: tuple[Object, ...]  # made or promised, by the provider's book
    payloads: frozenset[tuple[str | None, str]]  # the keys and payloads under which it was asked
    transport: tuple[str, ...]  # how each tool call ended, by its span
    told: Mapping[str, object]  # the verdict span's attributes; empty when none was exported

    @property
    def held(self) -> tuple[Object, ...]:
        return tuple(made for made in self.objects if made.state == HELD)

    @property
    def as_meant(self) -> bool:
        """The provider holds exactly what the task asked for. A read asks for nothing."""
        if self.task.is_read:
            return not self.held
        asked = self.task.arguments.items()
        return len(self.held) == 1 and all(self.held[0].body.get(name) == value for name, value in asked)

    @property
    def verdict(self) -> str:
        return self.text(names.VERDICT)

    def text(self, name: str) -> str:
        return str(self.told.get(name, ""))


def rows(told: list[tuple[str, Task]], book: Path, file: Path) -> list[Row]:
    """The stories' ends, from the provider's book and from the telemetry that was exported, from nothing else."""
    spans = spans_in(file)
    judged, ended = verdicts(spans), transport(spans)
    with reading(book) as truth:
        return [
            Row(
                story=story,
                task=task,
                objects=() if task.is_read else tuple(truth.objects(task.resource, task.reference)),
                payloads=frozenset() if task.is_read else truth.asked(task.resource, task.reference),
                transport=ended.get(task.operation_id, ()),
                told=judged.get(task.operation_id, {}),
            )
            for story, task in told
        ]


def transport_is_right(row: Row) -> bool:
    """`ok` was read as "it is done", `error` as "nothing happened", and so it is."""
    return row.as_meant if row.transport[-1:] == ("ok",) else not row.held


def borne_out(row: Row) -> bool:
    """The provider's book says what the verdict says. Doubt says nothing that a book could contradict."""
    held = len(row.held)
    keys = {key for key, _ in row.payloads}
    true_to_the_book: dict[str, bool] = {
        Outcome.HEALTHY: True,
        Outcome.VERIFIED_APPLIED: held == 1,
        Outcome.VERIFIED_NOT_APPLIED: held == 0,
        Outcome.DUPLICATE_EFFECT: held > 1,
        Outcome.FALSE_SUCCESS: held == 0,
        Outcome.INDETERMINATE: True,
        Finding.OUTCOME_MISMATCH: held > 0 and not row.as_meant,
        Finding.KEY_CONFLICT: len(row.payloads) > len(keys),
        Finding.UNSAFE_RETRY: len(keys) > 1,
    }
    return true_to_the_book.get(row.verdict, False)


def is_doubt(row: Row) -> bool:
    return row.verdict == Outcome.INDETERMINATE
