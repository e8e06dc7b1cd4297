"""What was said of a recorded run: by the audit of all that arrived, by each process while it ran, by the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.config import Config
from counterfoil.explain import explain
from counterfoil.judge import Judgement
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import every
from prove.telemetry.cohorts import CAPTURED, SETTINGS, SKEW, SKEWED_SETTINGS, ledger
from prove.telemetry.lines import Span

SKEWED = tuple(SKEW)
AUDIT, PART, LIVE, LEDGER = "audit", "part", "live", "ledger"
SHARING = "sharing a ledger"
"""Who speaks where processes share a ledger: they take turns, and count their revisions together."""


@dataclass(frozen=True, slots=True)
class Said:
    """One verdict, in the words of the contract. ``by``: who said it; ``process``: which one of them."""

    by: str
    operation: str
    verdict: str
    outcome: str
    findings: tuple[str, ...]
    reason: str | None
    sentence: str
    process: str | None = None
    judgement: Judgement | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> frozenset[str]:
        return frozenset((self.verdict, self.outcome, *self.findings))


def audited(folder: Path, by: str = AUDIT, only: str = "") -> Iterator[Said]:
    """As `counterfoil audit` judges files with the settings of the agents; of all files, or those of this name only.

    What is in a file is read by the settings of who wrote it. All is judged as one.
    """
    intake = Intake()
    files = sorted(one for one in (folder / "telemetry").glob("*.*json*") if only in one.name)
    for name, skewed in ((SETTINGS, False), (SKEWED_SETTINGS, True)):
        paths = [str(one) for one in files if one.name.startswith(SKEWED) == skewed]
        config = Config.from_env({"COUNTERFOIL_CONFIG": str(folder / name), **CAPTURED})
        taken = take_in(sources(paths), config)
        intake.gaps |= taken.gaps
        for operation, facts in taken.operations.items():
            for fact in facts:
                intake.add(operation, fact)
    for judgement in judgements(intake):
        yield _of(by, judgement)


def kept(folder: Path) -> Iterator[Said]:
    """As the ledger's facts are judged."""
    address = ledger(folder)
    if Path(address.removeprefix("sqlite:///")).exists():
        opened = open_ledger(address)
        try:
            for judgement in every(opened):
                yield _of(LEDGER, judgement)
        finally:
            opened.close()


def told(spans: Iterable[Span]) -> list[Said]:
    """As each process told it: of one operation the newest revision."""
    newest: dict[tuple[str, str], tuple[int, Said]] = {}
    for span in spans:
        if span.scope != "counterfoil" or not span.name.startswith("verdict"):
            continue
        said, process = span.attributes, span.process or ""
        name, revision = str(said["counterfoil.operation.id"]), int(said["counterfoil.revision"])
        if (name, process) in newest and newest[name, process][0] >= revision:
            continue
        one = Said(
            LIVE,
            name,
            said["counterfoil.verdict"],
            said["counterfoil.outcome"],
            tuple(said.get("counterfoil.findings") or ()),
            said.get("counterfoil.reason"),
            said.get("counterfoil.explanation", ""),
            process,
        )
        newest[name, process] = (revision, one)
    return [one for _, one in newest.values()]


def _of(by: str, judgement: Judgement) -> Said:
    return Said(
        by,
        judgement.operation.operation_id,
        judgement.verdict.value,
        judgement.outcome.value,
        tuple(finding.value for finding in judgement.findings),
        judgement.reason.value if judgement.reason is not None else None,
        explain(judgement),
        judgement=judgement,
    )
