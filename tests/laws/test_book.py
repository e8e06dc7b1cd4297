"""The book is incremental, bounded and in a hurry; it says what the slow fold of all facts says, or less.

Two machines feed it facts in small portions while time passes. The first never fills it: what was told last is the
slow fold's verdict, on every operation. The second fills it all the time: what was forgotten may be convicted, and is
never acquitted.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from counterfoil.book import Book, Telling
from counterfoil.config import Config
from counterfoil.evidence import fold
from counterfoil.facts import Attempt, Fact, Gap, Intent
from counterfoil.judge import Judgement, judge_all
from counterfoil.records import fact_id
from counterfoil.rules import CONVICTIONS
from counterfoil.verdicts import ACQUITTALS, Verdict
from tests.strategies import SECOND, claimed, gaps, held, meant, rivals, sent, unread

NAMES = ("op-1", "op-2", "op-3", "op-4")
LONG = 3_600 * SECOND


def somewhere(facts: st.SearchStrategy[Fact]) -> st.SearchStrategy[Fact]:
    """The same facts about one of more operations, so that there are neighbours of neighbours."""
    return st.builds(lambda fact, name: replace(fact, operation_id=name), facts, st.sampled_from(NAMES))


some_facts = st.lists(
    st.one_of(*(somewhere(kind) for kind in (meant, meant, sent, rivals, held, held, claimed, unread)), gaps),
    max_size=4,
)


def plain(fact: Fact) -> Fact:
    """The fact without what may take a conviction back: then the facts that are known convict no innocent."""
    if isinstance(fact, Attempt):
        fact = replace(fact, executed=None, proof=None, replay=None, dispatch_ref=None, scope=None)
        fact = replace(fact, attempt_id=fact_id(fact))  # one view for each: a second one may say another payload
    return replace(fact, expected_count=None)


accusing = st.lists(st.one_of(*(somewhere(kind) for kind in (sent, rivals, held, held))).map(plain), max_size=4)


def words(judgement: Judgement) -> tuple[object, ...]:
    return judgement.verdict, judgement.outcome, judgement.findings, judgement.reason, judgement.effect_refs


class Reader(RuleBasedStateMachine):
    """Somebody who reads all that a book tells."""

    config = Config()

    @initialize()
    def open(self) -> None:
        self.now = 0
        self.book = Book(self.config, lambda: self.now)
        self.known: list[Fact | Gap] = []
        self.told: dict[str, Telling] = {}
        self.incidents: dict[str, Verdict | None] = {}  # that were open when the operation was forgotten
        self.left: set[str] = set()

    def hear(self, tellings: list[Telling]) -> None:
        for telling in tellings:
            before = self.told.get(telling.operation_id)
            assert telling.revision == (before.revision + 1 if before else 1), "every revision once, in order"
            assert before is None or self.book.forgotten or telling.said != before.said, "nothing is told twice"
            self.told[telling.operation_id] = telling
            if telling.operation_id not in self.left:
                self.incidents[telling.operation_id] = telling.said.incident

    @rule(seconds=st.sampled_from((0, 1, 4, 6, 400)))
    def time_passes(self, seconds: int) -> None:
        self.now += seconds * SECOND
        self.hear(self.book.due())

    @rule(running=st.booleans())
    def flush(self, running: bool) -> None:
        self.hear(self.book.settle(running=running))

    def learn(self, facts: list[Fact | Gap]) -> None:
        self.known += facts
        self.book.add(facts)

    def settle_all(self) -> None:
        for _ in range(2):  # the second time for what is overdue by then
            self.now += LONG
            self.hear(self.book.due())
        assert self.book.due() == []
        assert self.book.waiting == 0


class EverythingKnown(Reader):
    @rule(facts=some_facts)
    def facts_come(self, facts: list[Fact | Gap]) -> None:
        self.learn(facts)

    @rule()
    def all_is_told(self) -> None:
        self.settle_all()
        slow = judge_all(fold(self.known))
        assert {name: words(judgement) for name, judgement in slow.items()} == {
            name: words(telling.judgement) for name, telling in self.told.items()
        }
        indeterminate = sum(1 for judgement in slow.values() if judgement.reason is not None)
        incidents = sum(1 for telling in self.told.values() if telling.said.incident is not None)
        assert (self.book.indeterminate, self.book.incidents.total()) == (indeterminate, incidents)

    def teardown(self) -> None:
        if hasattr(self, "book"):
            self.all_is_told()


class MuchForgotten(Reader):
    config = Config(max_operations=2)

    @rule(facts=accusing)
    def facts_come(self, facts: list[Fact | Gap]) -> None:
        for fact in facts:
            self.learn([fact])
            self.hear(self.book.settle(running=False))
            self.left |= {name for name in self.told if name not in self.book}

    @invariant()
    def the_bound_holds(self) -> None:
        assert not hasattr(self, "book") or len(self.book) <= self.config.max_operations

    def hear(self, tellings: list[Telling]) -> None:
        slow = judge_all(fold(self.known)) if tellings else {}
        for telling in tellings:
            accused = {verdict for verdict in CONVICTIONS if verdict in telling.judgement.borne_out}
            assert accused <= set(slow[telling.operation_id].borne_out), "an innocent was convicted"
        super().hear(tellings)
        for name in self.left & self.told.keys():
            if (incident := self.incidents.get(name)) is not None:
                assert self.told[name].said.incident is not None, f"{incident} was closed for want of facts"

    def teardown(self) -> None:
        if hasattr(self, "book"):
            self.settle_all()
            self.the_bound_holds()


class Returned(Reader):
    """One operation, forgotten for the sake of others again and again."""

    config = Config(max_operations=1)

    @rule(facts=accusing)
    def facts_come(self, facts: list[Fact | Gap]) -> None:
        mine = [replace(fact, operation_id="op-1") for fact in facts if not isinstance(fact, Gap)]
        self.learn([*mine])
        self.learn([Intent(operation_id=f"other-{len(self.known)}", observed_at=0)])
        self.hear(self.book.settle())

    @invariant()
    def never_acquitted(self) -> None:
        telling = self.told.get("op-1") if hasattr(self, "told") else None
        if telling is not None and telling.revision > 1:
            assert telling.judgement.outcome not in ACQUITTALS


TestEverythingKnown = EverythingKnown.TestCase
TestMuchForgotten = MuchForgotten.TestCase
TestReturned = Returned.TestCase
for _case in (TestEverythingKnown, TestMuchForgotten, TestReturned):
    _case.settings = settings(
        settings.get_profile("laws"), max_examples=100, stateful_step_count=20, phases=(Phase.explicit, Phase.generate)
    )
