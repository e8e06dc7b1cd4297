"""The frame of the command line: which commands there are, and where each is loaded from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from counterfoil.cli.version import version_line

COMMANDS: Mapping[str, str] = {
    "demo": "counterfoil.cli.demo",
    "audit": "counterfoil.cli.audit",
    "archive": "counterfoil.cli.archive",
    "doctor": "counterfoil.cli.doctor",
    "suggest": "counterfoil.cli.suggest",
    "export": "counterfoil.cli.export",
    "history": "counterfoil.cli.history",
    "list": "counterfoil.cli.list",
    "show": "counterfoil.cli.show",
    "resolve": "counterfoil.cli.resolve",
    "watch": "counterfoil.cli.watch",
    "reconcile": "counterfoil.cli.reconcile",
    "judge": "counterfoil.cli.judge",
    "prune": "counterfoil.cli.prune",
    "engine": "counterfoil.cli.engine",
}
"""By name, the module of each command: its ``app`` is a `typer.Typer` (without completion) with that
command, or with several below it."""


class Commands(TyperGroup):
    """Loads a command when it is run or described, so that one doesn't wait for the imports of all others."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = typer.main.get_command(import_module(module).app)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Did the agent's tool call take effect? Match what it meant, sent and was told with what the world holds.",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(version_line())
        raise typer.Exit


@app.callback()
def _frame(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Every command says with `--help` what it does."""
