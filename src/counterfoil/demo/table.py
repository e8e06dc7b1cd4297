"""The demo's last page: a table for people, or the same as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterfoil import names
from counterfoil.demo.provider.truth import DROPPED, QUEUED
from counterfoil.demo.report import Row, borne_out, is_doubt, transport_is_right

STYLES = {"page": "bold red", "ticket": "yellow", "none": "green"}
NOUNS = {"payments": "payment", "tickets": "ticket", "mail": "mail"}


def show(rows: Sequence[Row], console: Console, file: Path) -> None:
    """Print the table, the sums, and where the telemetry is. Legible at 80 columns and without colour."""
    console.print(_table(rows))
    for sentence in summary(rows):
        console.print(sentence)
    console.print()
    console.print(f"These verdicts were read from the exported telemetry, {file}. Judge it again:", soft_wrap=True)
    console.print(f"  counterfoil audit {file}", soft_wrap=True, highlight=False)


def summary(rows: Sequence[Row]) -> list[str]:
    """How often each of the two was right, counted against the provider's book."""
    right = sum(transport_is_right(row) for row in rows)
    doubt = sum(is_doubt(row) for row in rows)
    wrong = sum(not borne_out(row) for row in rows)
    sure = len(rows) - doubt - wrong
    refuted = f"{wrong} refuted by it" if wrong else "none refuted"
    return [
        f"{len(rows)} operations, checked against the provider's book.",
        f"Transport alone: {right} right, {len(rows) - right} wrong.",
        f"Counterfoil: {sure} certain and borne out, {refuted}, {doubt} left in doubt with a reason.",
    ]


def as_record(rows: Sequence[Row], file: Path) -> dict[str, object]:
    """The same for machines, as JSON-ready values."""
    return {"file": str(file), "stories": [_record(row) for row in rows], "summary": summary(rows)}


def _record(row: Row) -> dict[str, object]:
    said = ("verdict", "outcome", "findings", "reason", "severity", "next_action", "explanation")
    return {
        "story": row.story,
        "operation_id": row.task.operation_id,
        "held": [{"id": made.id, **made.body} for made in row.held],
        "transport": list(row.transport),
        "transport_is_right": transport_is_right(row),
        "borne_out": borne_out(row),
        **{name: row.told.get(f"{names.SCOPE}.{name}") for name in said},
    }


def _table(rows: Sequence[Row]) -> Table:
    table = Table(box=box.HORIZONTALS, show_lines=True, pad_edge=False)
    table.add_column("what happened", ratio=5)
    table.add_column("the provider holds", ratio=4)
    table.add_column("a dashboard says", ratio=3)
    table.add_column("counterfoil says, and what to do", ratio=10)
    for row in rows:
        table.add_row(_story(row), _holds(row), ", ".join(row.transport), _says(row))
    return table


def _story(row: Row) -> Text:
    return Text(row.story.replace("_", " ")).append(f"\n{row.task.operation_id}", style="dim")


def _holds(row: Row) -> str:
    noun = NOUNS[row.task.resource]
    if row.task.is_read:
        return "(nothing asked of it)"
    number = len(row.held)
    held = {0: "nothing", 1: f"1 {noun}"}.get(number, f"{number} {noun}s")
    wrong = {str(made.body["project"]) for made in row.held if not row.as_meant and "project" in made.body}
    promised = {made.state for made in row.objects} & {QUEUED, DROPPED}
    return held + "".join(f" in {where}" for where in sorted(wrong)) + "".join(f" ({state})" for state in promised)


def _says(row: Row) -> Text:
    if not row.told:
        return Text("no verdict was exported", style="bold red")
    reason = row.text(names.REASON)
    head = row.verdict + (f" ({reason})" if reason and is_doubt(row) else "")
    extra = [f for f in _findings(row) if f != row.verdict]
    style = STYLES.get(row.text(names.SEVERITY), "")
    said = Text(head, style=style).append(f" + {', '.join(extra)}" if extra else "", style="yellow")
    return said.append(f"\n{row.text(names.NEXT_ACTION)}", style="default not bold")


def _findings(row: Row) -> list[str]:
    found = row.told.get(names.FINDINGS)
    return [str(finding) for finding in found] if isinstance(found, list | tuple) else []
