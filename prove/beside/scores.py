"""How right each contender was: answers against what the provider holds, counted by fault. Counts of runs are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from prove import plan as plans
from prove.beside.answers import ALARMS, Answer, Contender
from prove.check.truth import Truth, truth
from prove.plan import Plan

EVERY = "all operations"
"""Where a fault's name could stand."""

Counts = Counter[tuple[Answer, int]]
"""How often an answer was given where so many effects were held; 2 stands for more than one."""


class Question(Enum):
    """What may be asked of a contender: which answers say yes, and of how many effects yes is true."""

    TWICE = ("took effect twice", frozenset({Answer.TWICE}), frozenset({2}))
    NOT = ("took no effect", frozenset({Answer.NOT}), frozenset({0}))
    WRONG = ("did not take effect exactly once", ALARMS, frozenset({0, 2}))

    def __init__(self, words: str, said: frozenset[Answer], held: frozenset[int]) -> None:
        self.words, self.said, self.held = words, said, held


@dataclass(frozen=True, slots=True)
class Score:
    """``right``: said and true; ``said``: how often yes was said; ``true``: how often it was true."""

    right: int
    said: int
    true: int

    @property
    def precision(self) -> float | None:
        """Of what was said, the true share; None where nothing was said."""
        return self.right / self.said if self.said else None

    @property
    def recall(self) -> float | None:
        """Of what was true, the share that was said; None where there was nothing to say."""
        return self.right / self.true if self.true else None


@dataclass(slots=True)
class Scores:
    """The counts of some contenders over some runs of one kind, by contender and fault."""

    contenders: Sequence[Contender]
    seeds: set[int] = field(default_factory=set)
    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)

    def add(self, folder: Path) -> None:
        """Ask every contender about one recorded run. Operations that only look are left out."""
        world = truth(folder)
        known = [one for one in plans.read(folder / "plans.jsonl") if one.habit != "read"]
        for contender in self.contenders:
            self.count(contender.name, known, contender.answers(folder), world)

    def count(
        self, name: str, known: Iterable[Plan], answers: Mapping[str, Answer], world: Mapping[str, Truth]
    ) -> None:
        """Hold one contender's answers against the truth."""
        for plan in known:
            self.seeds.add(plan.seed)
            for operation in plan.operations:
                true = world.get(operation, Truth())
                held = min(2, len(true.held))
                for fault in (EVERY, *plan.met(sent.fault for sent in true.sent)):
                    counts = self.counts.setdefault((name, fault), Counter())
                    counts[answers.get(operation, Answer.UNKNOWN), held] += 1

    @property
    def faults(self) -> list[str]:
        """Every kind of fault that occurred."""
        return sorted({fault for _, fault in self.counts} - {EVERY})

    def times(self, name: str, fault: str, matches: Callable[[Answer, int], bool]) -> int:
        """How often that answer was given there."""
        return sum(
            n for (answer, held), n in self.counts.get((name, fault), Counter()).items() if matches(answer, held)
        )

    def score(self, name: str, fault: str, question: Question) -> Score:
        """One contender's score on one question, of the operations that met a fault."""
        return Score(
            self.times(name, fault, lambda answer, held: answer in question.said and held in question.held),
            self.times(name, fault, lambda answer, _: answer in question.said),
            self.times(name, fault, lambda _, held: held in question.held),
        )

    def asked(self, question: Question) -> list[Contender]:
        """Who ever said yes to a question; the others weren't made for it."""
        return [one for one in self.contenders if self.score(one.name, EVERY, question).said]
