"""The book behind one pipeline, by the settings: in memory, or in a ledger whose targets may be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from counterfoil.book import Book, Telling
from counterfoil.config import Config
from counterfoil.telling.teller import log

if TYPE_CHECKING:
    from counterfoil.book.durable import DurableBook
    from counterfoil.probing.background import Background

LEDGER_PATIENCE_S = 0.25
"""How long an application's thread waits for a ledger that others hold, in seconds."""

IN_MEMORY = "memory:"


def opened(
    config: Config,
    tell: Callable[[list[Telling]], None],
    on_fault: Callable[[Exception], None],
    clock: Callable[[], int],
) -> tuple[Book | DurableBook, Background | None]:
    """The ledger that the settings name; memory where they name none, or one that there isn't. With it who asks the
    targets of its operations from this process, where that is switched on."""
    if config.ledger == IN_MEMORY:
        return Book(config, clock), None
    from counterfoil.book.durable import DurableBook
    from counterfoil.ledger import AddressError, open_ledger

    try:
        ledger = open_ledger(config.ledger, patience_s=LEDGER_PATIENCE_S)
    except AddressError as wrong:
        log.warning("%s; evidence is kept in memory", wrong)
        return Book(config, clock), None
    if not any(tool.probe is not None for tool in config.tools.values()):
        return DurableBook(config, ledger, tell, on_fault, clock=clock), None
    from counterfoil.probing.background import Background

    background = Background(config, ledger, on_fault)
    looked_at = background.prober.waits_for_look
    book = DurableBook(config, ledger, tell, on_fault, clock=clock, looked_at=looked_at)
    return book, background if config.probe_in_process else None
