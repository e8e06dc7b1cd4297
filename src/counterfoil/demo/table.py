"""The demo's last page: a table for people, or the same as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from counterfoil import names
from counterfoil.demo.provider.truth import DROPPED, QUEUED
from counterfoil.demo.report import Row, borne_out, is_doubt, transport_is_right

STYLES = {"page": "bold red", "ticket": "yellow", "none": "green"}
DOUBT = "cyan"
COLUMNS = 100
MIN_WIDTH = 21
"""The longest verdict, `verified_not_applied`, and one more: a verdict is never cut short."""

NOUNS = {"payments": "payment", "tickets": "ticket", "mail": "mail"}


def show(rows: Sequence[Row], console: Console, file: Path) -> None:
    """Print the table, the sums, and where the telemetry is. Made for 100 columns, and legible without colour."""
    console.print(_table(rows))
    console.print("A dashboard goes by the status of the tool's span; the provider, by its own book.", style="dim")
    console.print()
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
        f"{len(rows)} operations, checked against the provider's book:",
        f"  transport alone: {right} right, {len(rows) - right} wrong.",
        f"  counterfoil: {sure} certain and borne out, {refuted}, {doubt} left in doubt with a reason.",
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
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("what happened")
    table.add_column("provider holds", no_wrap=True)
    table.add_column("dashboard", no_wrap=True)
    table.add_column("counterfoil says, and what to do", min_width=MIN_WIDTH)
    for row in rows:
        story = _two_lines(Text(row.story.replace("_", " ")), row.task.operation_id, "dim")
        table.add_row(story, _holds(row), _dashboard(row), _says(row))
    return table


def _two_lines(first: Text, second: str, style: str = "") -> Group:
    """The second is set in, so that rows are told apart without lines between them."""
    return Group(first, Padding(Text(second, style=style), (0, 0, 0, 2)))


def _holds(row: Row) -> str:
    """What the provider's book has for it, in words."""
    if row.task.is_read:
        return "-"
    noun = NOUNS[row.task.resource]
    number = len(row.held)
    held = {0: "nothing", 1: f"1 {noun}"}.get(number, f"{number} {noun}s")
    wrong = {str(made.body["project"]) for made in row.held if not row.as_meant and "project" in made.body}
    promised = {made.state for made in row.objects} & {QUEUED, DROPPED}
    return held + "".join(f" in {where}" for where in sorted(wrong)) + "".join(f" ({state})" for state in promised)


def _dashboard(row: Row) -> Text:
    """How the tool's spans ended, one after the other; red where that says something wrong."""
    said = ", ".join(f"{end} x{n}" if (n := len(list(same))) > 1 else end for end, same in groupby(row.transport))
    return Text(said, style="" if transport_is_right(row) else "red")


def _says(row: Row) -> Group | Text:
    if not row.told:
        return Text("no verdict was exported", style="bold red")
    reason = row.text(names.REASON)
    verdict = row.verdict + (f" ({reason})" if reason and is_doubt(row) else "")
    said = Text().append(verdict, style=DOUBT if is_doubt(row) else STYLES.get(row.text(names.SEVERITY), ""))
    for finding in _findings(row):
        if finding != row.verdict:
            said.append(f" + {finding}", style="yellow")
    return _two_lines(said, row.text(names.NEXT_ACTION))


def _findings(row: Row) -> list[str]:
    found = row.told.get(names.FINDINGS)
    return [str(finding) for finding in found] if isinstance(found, list | tuple) else []
