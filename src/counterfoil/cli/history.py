"""`counterfoil history`: is a stored Pydantic AI message list fit to be replayed?"""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterfoil.cli.terminal import printable

if TYPE_CHECKING:
    from counterfoil.histories.pydantic_selfcheck import SelfCheck
    from counterfoil.histories.report import HistoryAudit
    from counterfoil.ledger import Ledger

NOT_READY, USAGE, UNREADABLE = 1, 2, 3

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def history(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="What ModelMessagesTypeAdapter.dump_json wrote, a Conversation, a step store's snapshot, or -.",
        ),
    ] = None,
    contract: Annotated[str | None, typer.Option(metavar="FILE", help="Its terms, in TOML or JSON.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Where the facts are: sqlite:///path or postgresql://…; else COUNTERFOIL_LEDGER."
        ),
    ] = None,
    self_check: Annotated[
        bool, typer.Option("--self-check", help="Check that the installed Pydantic AI behaves as the audit expects.")
    ] = False,
) -> None:
    """Put a stored message list through six gates, before any repair and before it is replayed.

    Exit codes: 0 ready; 1 not ready, or with --self-check a changed behaviour; 2 usage; 3 the list or the ledger can't
    be read.
    """
    if find_spec("pydantic_ai") is None:
        raise _refused("this needs Pydantic AI; install it with: pip install 'counterfoil[pydantic-ai]'")
    if self_check:
        if file is not None or contract is not None or ledger is not None:
            raise typer.BadParameter("it takes no FILE, no --contract and no --ledger", param_hint="--self-check")
        _check(as_json)
    elif file is None or contract is None:
        raise typer.BadParameter("name the list and its contract: FILE --contract FILE", param_hint="FILE")
    else:
        stored = None if file == "-" else _existing(file, "FILE")
        _audit(stored, _existing(contract, "--contract"), ledger, as_json)


def _audit(file: Path | None, contract: Path, ledger: str | None, as_json: bool) -> None:
    from counterfoil.config import Config
    from counterfoil.histories.pydantic_audit import audit_history
    from counterfoil.histories.pydantic_stored import MAX_BYTES, UnreadableHistory
    from counterfoil.ledger import LedgerFault
    from counterfoil.reading.contracts import ContractError

    config, problems = Config.load()
    for problem in problems:
        _say(str(problem))
    stored = sys.stdin.buffer.read(MAX_BYTES + 1) if file is None else file
    facts = _ledger(ledger or config.ledger)
    try:
        audit = audit_history(stored, contract=contract, ledger=facts, config=config)
    except ContractError as wrong:
        raise _refused(f"--contract {contract}: {wrong}") from None
    except (UnreadableHistory, LedgerFault) as wrong:
        raise _refused(str(wrong), UNREADABLE) from None
    finally:
        if facts is not None:
            facts.close()
    if as_json:
        typer.echo(json.dumps(audit.as_json()))
    else:
        _show(audit)
    if not audit.ready:
        raise typer.Exit(NOT_READY)


def _existing(name: str, option: str) -> Path:
    if not os.path.exists(name) or os.path.isdir(name):
        why = "is a directory" if os.path.isdir(name) else "does not exist"
        raise typer.BadParameter(f"{name!r} {why}", param_hint=option)
    return Path(name)


def _ledger(url: str) -> Ledger | None:
    """A ledger to ask, not to begin: a SQLite file that isn't there is a name written wrong."""
    from counterfoil.ledger import AddressError, open_ledger

    if url == "memory:":
        return None
    path = url.removeprefix("sqlite:///").partition("?")[0]
    if url.startswith("sqlite:///") and not Path(path).exists():
        raise typer.BadParameter(f"there is no file {path}", param_hint="--ledger")
    try:
        return open_ledger(url)
    except AddressError as wrong:
        raise typer.BadParameter(str(wrong), param_hint="--ledger") from None


def _show(audit: HistoryAudit) -> None:
    verdict = "ready" if audit.ready else f"not ready: {audit.verdict}"
    _print(f"{verdict}, {audit.state}" if audit.state else verdict)
    _print(audit.explanation)
    for finding, failed in audit.judgement.failures.items():
        _print(f"  {finding}: {', '.join(failed)}")
    for note in audit.notes:
        _print(f"  note: {note.call}: {note.what}" if note.call else f"  note: {note.what}")


def _check(as_json: bool) -> None:
    from counterfoil.histories.pydantic_selfcheck import self_check

    seen = self_check()
    if as_json:
        typer.echo(json.dumps(seen.as_json()))
    else:
        _show_check(seen)
    if seen.changed:
        raise typer.Exit(NOT_READY)


def _show_check(seen: SelfCheck) -> None:
    _print(f"Pydantic AI {seen.version}: {seen.stories} stories, {seen.checks} checks, {len(seen.changed)} changed")
    for story, what in seen.changed:
        _print(f"  changed in “{story}”: it is not so that {what}")
    if seen.changed:
        _print("Don't rest on audits of histories with this version.")


def _print(sentence: str) -> None:
    typer.echo(printable(sentence))


def _say(sentence: str) -> None:
    typer.echo(printable(sentence), err=True)


def _refused(why: str, code: int = USAGE) -> typer.Exit:
    _say(f"counterfoil history: {why}")
    return typer.Exit(code)
