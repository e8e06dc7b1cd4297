"""Every operation of an intake, judged once, in the order of their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from counterfoil.across import Around, around
from counterfoil.auditing.intake import Facts, Intake
from counterfoil.auditing.neighbours import neighbourhoods
from counterfoil.evidence import Evidence
from counterfoil.facts import Fact, Gap, Unreadable
from counterfoil.judge import Judgement, judge
from counterfoil.operations import Operation, operation_from
from counterfoil.packed import Packed, unpack


def evidence(operation_id: str, facts: Iterable[Packed]) -> Evidence:
    return Evidence([fact for packed in facts if isinstance(fact := unpack(operation_id, packed), Fact)])


def gaps_of(intake: Intake) -> frozenset[Gap]:
    return frozenset(gap for packed in intake.gaps if isinstance(gap := unpack(None, packed), Gap))


def judgements(intake: Intake) -> Iterator[Judgement]:
    """One at a time, so that none has to be held. What a neighbourhood shares is worked out when its first is due."""
    gaps = gaps_of(intake)
    near = neighbourhoods(intake.operations)
    waiting: dict[str, tuple[Operation, Around]] = {}
    for name in sorted(intake.operations):
        if name in near and name not in waiting:
            waiting |= _together(near[name], intake.operations, gaps)
        if name in waiting:
            operation, surroundings = waiting.pop(name)
        else:
            operation = operation_from(name, evidence(name, intake.operations[name]))
            surroundings = around((operation,), gaps)
        yield judge(operation, surroundings)


def _together(
    names: Iterable[str], operations: Mapping[str, Facts], gaps: frozenset[Gap]
) -> dict[str, tuple[Operation, Around]]:
    members = [operation_from(name, evidence(name, operations[name])) for name in names]
    surroundings = around(members, gaps)
    return {operation.operation_id: (operation, surroundings) for operation in members}


def facts_read(judgement: Judgement) -> int:
    """How many facts there are about an operation; a line that could not be read is none."""
    return sum(not isinstance(fact, Unreadable) for fact in judgement.operation.facts)
