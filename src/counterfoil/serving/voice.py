"""What a worker on a ledger tells by: the way out for verdicts, metrics of its own, and word of its own troubles."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry.sdk.metrics import MeterProvider

from counterfoil import names
from counterfoil.book.durable import DurableBook
from counterfoil.book.telling import Telling
from counterfoil.config import Config
from counterfoil.judge import Judgement
from counterfoil.ledger import Ledger
from counterfoil.serving.heard import Heard
from counterfoil.serving.outgoing import Outgoing
from counterfoil.telling.meters import meters_of
from counterfoil.telling.spans import version
from counterfoil.telling.teller import Teller, Troubles, log


class Voice:
    """One worker's. It lets go of nothing: who made the way out and the meters closes them."""

    def __init__(self, config: Config, outgoing: Outgoing, meters: MeterProvider) -> None:
        self._config = config
        self.meters = meters_of(meters)
        self.troubles = Troubles(self.meters)
        logger = outgoing.logs.get_logger(names.SCOPE, version())
        self._teller = Teller(config, outgoing.traces, self.meters, logger, self.troubles)

    def book(
        self,
        ledger: Ledger,
        tell: Callable[[list[Telling]], None],
        send: Callable[[], None],
        looked_at: Callable[[Judgement], bool] = lambda judgement: False,
    ) -> DurableBook:
        """The book on this ledger, whose open operations and incidents are counted from now on. ``tell`` is called
        under a claim, and ``send`` before what it told counts as told; where that raises, it is told again."""
        book = DurableBook(self._config, Heard(ledger, send), tell, self.had, looked_at=looked_at)
        self.meters.watch(book)
        return book

    def tell(self, tellings: list[Telling]) -> None:
        """Say verdicts by every means that is switched on. Never raises."""
        self._teller.tell(tellings)

    def had(self, fault: Exception) -> None:
        """The ledger can't be used: counted, and said."""
        self.troubles.had("ledger", fault)
        log.warning("%s", fault)
