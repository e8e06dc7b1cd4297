"""The audit's table: worst first, one sentence each, and a summary. Colour only on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.tally import Tally
from counterfoil.auditing.told import Told
from counterfoil.cli.terminal import printable, terminal
from counterfoil.histories.audit import HistoryJudgement
from counterfoil.histories.history import HistoryVerdict
from counterfoil.verdicts import Outcome, Severity

_STYLE = {Severity.PAGE: "bold red", Severity.TICKET: "yellow", Severity.NONE: ""}


def print_audit(
    operations: Sequence[Told], histories: Sequence[HistoryJudgement], intake: Intake, tally: Tally
) -> None:
    console = terminal()
    if operations:
        console.print(operations_table(operations))
    if left_out := tally.operations.total() - len(operations):
        console.print(f"… and {left_out:,} more operations, none of them worse; --rows 0 shows all")
    if histories:
        console.print(_histories(histories))
    console.print(Text(summary(intake, tally)))


def operations_table(rows: Iterable[Told]) -> Table:
    table = Table("verdict", "operation", "why", box=box.SIMPLE_HEAD, pad_edge=False)
    for told in rows:
        judged = told.judgement
        also = [finding.value for finding in judged.findings if finding is not judged.verdict]
        style = "green" if judged.verdict in (Outcome.VERIFIED_APPLIED, Outcome.HEALTHY) else _STYLE[told.severity]
        words = ", ".join([judged.verdict.value, *also])
        table.add_row(Text(words, style), _name(judged.operation.operation_id), Text(printable(told.sentence)))
    return table


def _histories(rows: Iterable[HistoryJudgement]) -> Table:
    table = Table("verdict", "message list", "why", box=box.SIMPLE_HEAD, pad_edge=False)
    order = list(HistoryVerdict)
    for judged in sorted(rows, key=lambda judged: (order.index(judged.verdict), judged.history_id)):
        style = "green" if judged.verdict is HistoryVerdict.READY else "yellow"
        table.add_row(Text(judged.verdict.value, style), _name(judged.history_id), Text(printable(judged.explanation)))
    return table


def _name(name: str) -> Text:
    return Text(printable(name), overflow="fold")


def summary(intake: Intake, tally: Tally) -> str:
    """The last line: how many of each verdict, how many could be verified at all, what was read and what was not."""
    parts = [f"{_many(tally.operations.total(), 'operation')}{_of_each(tally.operations)}"]
    if tally.histories:
        parts.append(f"{_many(tally.histories.total(), 'message list')}{_of_each(tally.histories)}")
    if tally.acting:
        parts.append(f"{tally.verifiable:,} of {tally.acting:,} with a look at the target")
    parts.append(f"{_many(tally.facts, 'fact')}, {_many(intake.skipped, 'line')} skipped")
    return "; ".join(parts) + "."


def _of_each(counted: Counter[str]) -> str:
    """Worst first, as the verdicts' own order has it: the table's order, in short."""
    from counterfoil.auditing.told import WORDS

    said = [f"{counted[word]:,} {word}" for word in WORDS if counted[word]]
    return f": {', '.join(said)}" if said else ""


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
