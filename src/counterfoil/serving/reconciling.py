"""A worker on a ledger: what is due is judged and told, and targets are asked about what is in doubt."""

from __future__ import annotations

from opentelemetry.sdk.metrics import MeterProvider

from counterfoil.book.telling import Telling
from counterfoil.config import Config
from counterfoil.ledger import Ledger
from counterfoil.probing.prober import Prober
from counterfoil.serving.outgoing import NotHeard, Outgoing
from counterfoil.serving.voice import Voice

EVERY_S = 1.0
"""How often it looks for what is due, in seconds."""

LONGEST_WAIT_S = 30.0
"""After verdicts did not arrive it waits twice as long each time, and so long at most, in seconds."""


class Reconciling:
    """Any number of these, of judges and of agents share a ledger: each operation is told by one of them. What doesn't
    arrive isn't told: its operation is due again, under a further revision.

    ``told``: the verdicts that arrived. ``unheard``: how often in a row others did not.
    """

    def __init__(self, config: Config, ledger: Ledger, outgoing: Outgoing, meters: MeterProvider) -> None:
        self._voice = Voice(config, outgoing, meters)
        self._outgoing = outgoing
        self._said = 0
        self.told = self.unheard = 0
        ledger.told([])  # one that can't be used is said now, not by silence
        self.prober = Prober(config, ledger, self._voice.had)
        self.book = self._voice.book(ledger, self._tell, self._send, self.prober.waits_for_look)

    def once(self) -> None:
        """One pass over all that is due, and over all that the answers of targets make due."""
        self._look()
        self.prober.finish()
        self._look()
        self._count()

    def tick(self) -> None:
        """One turn of a worker that goes on. Answers of targets come in later turns."""
        self._look()
        self.prober.tick()
        self._count()

    @property
    def pause_s(self) -> float:
        return min(EVERY_S * float(2 ** min(self.unheard, 10)), LONGEST_WAIT_S)

    def _look(self) -> None:
        try:
            self.book.due()
            self.unheard = 0
        except NotHeard as fault:
            self.unheard += 1
            self._voice.troubles.had("telling", fault)

    def _count(self) -> None:
        self.book.take_over()
        self._voice.meters.judged()

    def _tell(self, tellings: list[Telling]) -> None:
        self._said += len(tellings)
        self._voice.tell(tellings)

    def _send(self) -> None:
        said, self._said = self._said, 0
        self._outgoing.send()
        self.told += said
