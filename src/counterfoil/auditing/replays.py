"""Every message list of an intake, put through the gates with what the intake knows of its operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import cast

from counterfoil.auditing.intake import Facts, Intake
from counterfoil.auditing.judging import evidence
from counterfoil.evidence import Evidence
from counterfoil.facts import Intent
from counterfoil.histories.audit import HistoryJudgement, audit
from counterfoil.histories.gates import GATES
from counterfoil.histories.history import History, HistoryVerdict, State
from counterfoil.packed import Form

REMEMBERED = 1_024
"""So many operations' evidence is kept ready, for lists that mention the same ones."""


def history_judgements(intake: Intake) -> Iterator[HistoryJudgement]:
    """In the order of their names. Lists under one name are judged each, and what fails one fails the name."""
    if not intake.histories:
        return
    of_conversation = _by_conversation(intake.operations)

    @lru_cache(maxsize=REMEMBERED)
    def known(name: str) -> Evidence:
        return evidence(name, intake.operations[name])

    for name in sorted(intake.histories):
        judged = []
        for history in intake.histories[name]:
            mentioned = {part.operation_id for part in history.parts if part.operation_id in intake.operations}
            concerned = mentioned.union(of_conversation.get(history.conversation_id, ()))
            judged.append(audit(history, {operation: known(operation) for operation in concerned if operation}))
        yield judged[0] if len(judged) == 1 else _together(name, judged)


def concerned(operations: Mapping[str, Facts], histories: Mapping[str, set[History]]) -> dict[str, Facts]:
    """Those of the operations that these message lists mention, or that are of their conversations."""
    if not histories:
        return {}
    lists = [history for same in histories.values() for history in same]
    of_conversation = _by_conversation(operations)
    names = {part.operation_id for history in lists for part in history.parts}
    names.update(*(of_conversation.get(history.conversation_id, ()) for history in lists))
    return {name: operations[name] for name in names if name is not None and name in operations}


def _by_conversation(operations: Mapping[str, Facts]) -> dict[object, set[str]]:
    found: dict[object, set[str]] = {}
    for name, facts in operations.items():
        for packed in facts:
            form = cast(Form, packed[0])
            if form.kind is Intent:
                for place in form.places("conversation_id"):
                    found.setdefault(packed[place], set()).add(name)
    return found


def _together(name: str, judged: Iterable[HistoryJudgement]) -> HistoryJudgement:
    failures: dict[HistoryVerdict, tuple[str, ...]] = {}
    states: set[State | None] = set()
    for one in judged:
        states.add(one.state)
        for verdict, failed in one.failures.items():
            failures[verdict] = tuple(sorted({*failures.get(verdict, ()), *failed}))
    findings = tuple(verdict for verdict in GATES if verdict in failures)
    in_order = {verdict: failures[verdict] for verdict in findings}  # sets have no order, and an output has one
    state = next((state for state in (State.STALLED, State.WAITING) if state in states), None)
    return HistoryJudgement(name, findings[0] if findings else HistoryVerdict.READY, findings, in_order, state)
