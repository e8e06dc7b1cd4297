"""What a story is: a title that a manager understands, facts in, one verdict out, and the sentence of the contract."""

from dataclasses import dataclass

import pytest

from counterfoil.evidence import fold
from counterfoil.explain import explain
from counterfoil.judge import judge_all
from counterfoil.testing import OPERATION, story
from counterfoil.verdicts import Finding


@dataclass(frozen=True)
class Story:
    """``says`` is the sentence of the verdicts' contract that it shows; ``findings`` are all that there are, by name.

    ``others`` are the verdicts of further operations. What lies below a finding, ``outcome`` and ``reason``, is looked
    at where the story names it.
    """

    title: str
    says: str
    facts: str
    verdict: str
    reason: str | None = None
    findings: str = ""
    outcome: str | None = None
    sentence: str | None = None
    resolved: bool = False
    gone: bool = False
    others: tuple[tuple[str, str], ...] = ()

    def holds(self) -> None:
        judgements = judge_all(fold(story(self.facts)))
        judgement = judgements[OPERATION]
        found = set(self.findings.split()) | ({self.verdict} & set(Finding))
        assert (judgement.verdict, set(judgement.findings)) == (self.verdict, found)
        if self.reason is not None or self.verdict not in set(Finding):
            assert judgement.reason == self.reason
        assert (judgement.resolved, judgement.gone) == (self.resolved, self.gone)
        if self.outcome is not None or self.verdict not in set(Finding):
            assert judgement.outcome == (self.outcome or self.verdict)
        if self.sentence is not None:
            assert explain(judgement) == self.sentence
        for name, verdict in self.others:
            assert judgements[name].verdict == verdict


def stories(*told: Story) -> pytest.MarkDecorator:
    """The stories of one file, each a test of its own under its title."""
    return pytest.mark.parametrize("told", told, ids=[one.title for one in told])
