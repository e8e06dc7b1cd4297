"""A file answers as memory does, whatever is asked in whatever order.

The ledger in memory is the model; beside it stands a SQLite file with two ways in, as two processes have them, which
are closed and opened again. Facts come, also in the middle of a claim; claims end in order or by an exception; what was
told is taken down, delivered, told again; settled operations are forgotten. After each step both know the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from counterfoil.facts import Fact, Gap
from counterfoil.ledger import Ledger, Told, open_ledger
from counterfoil.ledger.links import links_of
from counterfoil.ledger.pruning import prune
from counterfoil.ledger.told import Said
from counterfoil.verdicts import Outcome, Reason, Severity
from tests.ledger.worlds import OPERATIONS, SETTLED, as_kept, crowds

END = 10
"""Times are small numbers here: everything happens between 0 and this."""

DOUBTED = Said(
    verdict=Outcome.INDETERMINATE,
    outcome=Outcome.INDETERMINATE,
    findings=(),
    reason=Reason.AMBIGUOUS,
    severity=Severity.TICKET,
    open=True,
)
CLOSED_IN_DOUBT = Said(
    verdict=Outcome.INDETERMINATE,
    outcome=Outcome.INDETERMINATE,
    findings=(),
    reason=Reason.UNVERIFIED,
    severity=Severity.NONE,
    open=False,
)

names = st.sampled_from(OPERATIONS)
times = st.integers(0, END)
tellings = st.builds(
    Told, names, st.integers(1, 4), st.sampled_from((SETTLED, SETTLED, CLOSED_IN_DOUBT, DOUBTED)), st.integers(0, END)
)


class Crash(Exception):
    """Whoever had a claim died, as far as the ledger can see."""


class TwoLedgers(RuleBasedStateMachine):
    """Every question is put to both, every answer compared."""

    @initialize()
    def open(self) -> None:
        self.folder = TemporaryDirectory()
        self.url = f"sqlite:///{Path(self.folder.name, 'ledger.db')}"
        self.memory: Ledger = open_ledger("memory:")
        self.files: list[Ledger] = [open_ledger(self.url, patience_s=20) for _ in range(2)]
        self.claims: ExitStack | None = None
        self.links: set[Any] = set()

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            if self.claims is not None:
                self.claims.close()
            for one in self.files:
                one.close()
            self.folder.cleanup()

    # ------------------------------------------------------------------ what is asked

    @rule(facts=crowds, due=times, way=st.integers(0, 1))
    def facts_come(self, facts: list[Fact | Gap], due: int, way: int) -> None:
        known = [as_kept(fact) for fact in facts]
        self.links |= {link for fact in known if not isinstance(fact, Gap) for link in links_of(fact)}
        assert self.files[way].add(known, due=due) == self.memory.add(known, due=due)

    @precondition(lambda self: self.claims is None)
    @rule(now=times, way=st.integers(0, 1))
    def claim_what_is_due(self, now: int, way: int) -> None:
        """All of it: of those that are due at one time, either may take any first."""
        self.claims = ExitStack()
        self.model = self.claims.enter_context(self.memory.claim(now, len(OPERATIONS)))
        self.claim = self.claims.enter_context(self.files[way].claim(now, len(OPERATIONS)))
        assert self.claim.operations == self.model.operations

    @precondition(lambda self: self.claims is not None)
    @rule(said=st.lists(tellings, max_size=3, unique_by=lambda told: told.operation_id), delivered=st.booleans())
    def tell(self, said: list[Told], delivered: bool) -> None:
        mine = [told for told in said if told.operation_id in self.model.operations]
        taken = self.model.announce(mine)
        assert self.claim.announce(mine) == taken
        if delivered:
            for each in (self.model, self.claim):
                each.delivered(told for told in mine if told.operation_id in taken)

    @precondition(lambda self: self.claims is not None)
    @rule(at=times)
    def ask_for_another_look(self, at: int) -> None:
        for each in (self.model, self.claim):
            each.wake(self.model.operations, at)

    @precondition(lambda self: self.claims is not None)
    @rule()
    def leave_in_order(self) -> None:
        assert self.claims is not None
        self.claims.close()
        self.claims = None

    @precondition(lambda self: self.claims is not None)
    @rule()
    def die_over_it(self) -> None:
        claims, self.claims = self.claims, None
        assert claims is not None
        with pytest.raises(Crash), claims:
            raise Crash

    @rule(some=st.lists(names, max_size=3, unique=True), before=times, way=st.integers(0, 1))
    def forget(self, some: Sequence[str], before: int, way: int) -> None:
        assert self.files[way].forget(some, before) == self.memory.forget(some, before)

    @precondition(lambda self: self.claims is None)
    @rule(before=times, at_once=st.integers(1, 3), dry_run=st.booleans())
    def prune_what_is_old(self, before: int, at_once: int, dry_run: bool) -> None:
        done, model = (prune(one, before, at_once=at_once, dry_run=dry_run) for one in (self.files[0], self.memory))
        assert done == model

    @precondition(lambda self: self.claims is None)
    @rule(way=st.integers(0, 1), anew=st.booleans())
    def open_again(self, way: int, anew: bool) -> None:
        self.files[way].close()
        if anew:
            self.files[way] = open_ledger(self.url, patience_s=20)

    # ---------------------------------------------------------------- what both know

    @invariant()
    def both_know_the_same(self) -> None:
        if not hasattr(self, "folder"):
            return
        for one in self.files:
            assert one.facts(OPERATIONS) == self.memory.facts(OPERATIONS)
            assert one.gaps() == self.memory.gaps()
            assert one.told(OPERATIONS) == self.memory.told(OPERATIONS)
            for open_only in (False, True):
                assert list(one.operations(open_only=open_only)) == list(self.memory.operations(open_only=open_only))
            sharing, model = one.sharing(self.links), self.memory.sharing(self.links)
            assert {link: list(some) for link, some in sharing.items()} == {k: list(some) for k, some in model.items()}

    @invariant()
    def both_call_the_same_settled(self) -> None:
        if hasattr(self, "folder") and self.claims is None:
            for before in (0, END // 2, END + 1):
                for one in self.files:
                    assert list(one.settled(before)) == list(self.memory.settled(before))


TestTwoLedgers = TwoLedgers.TestCase
TestTwoLedgers.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
