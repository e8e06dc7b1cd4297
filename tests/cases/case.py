"""One case: evidence in a file, and beside it what must be said of it."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from counterfoil.auditing.intake import Intake
from counterfoil.auditing.judging import judgements
from counterfoil.auditing.replays import history_judgements
from counterfoil.auditing.sources import Source
from counterfoil.auditing.taking_in import take_in

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Said:
    """What an audit said of one operation or message list; ``words``: outcome, findings and verdict together."""

    verdict: str
    words: frozenset[str]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    name: str

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.ndjson"

    @property
    def lines(self) -> list[bytes]:
        return self.path.read_bytes().splitlines()

    @property
    def expected(self) -> dict[str, dict]:
        return json.loads((FOLDER / f"{self.name}.expected.json").read_text(encoding="utf-8"))


CASES = [Case(path.stem) for path in sorted(FOLDER.glob("*.ndjson"))]


@dataclass(frozen=True)
class Lines(Source):
    """Evidence that is in no file."""

    content: bytes = b""

    def chunks(self, progress: Callable[[int], None] = lambda read: None) -> Iterator[bytes]:
        yield self.content


def intake_of(lines: Iterable[bytes]) -> Intake:
    return take_in([Lines("lines", 0, b"\n".join(lines))])


def audited(lines: Iterable[bytes]) -> dict[str, Said]:
    """What the audit says of these lines, by operation and message list."""
    intake = intake_of(lines)
    said = {}
    for judged in judgements(intake):
        findings = tuple(finding.value for finding in judged.findings)
        words = frozenset({judged.verdict.value, judged.outcome.value, *findings})
        said[judged.operation.operation_id] = Said(judged.verdict.value, words, findings)
    for history in history_judgements(intake):
        findings = tuple(finding.value for finding in history.findings)
        said[history.history_id] = Said(history.verdict.value, frozenset({history.verdict.value, *findings}), findings)
    return said


def complaints(expected: dict[str, dict], said: dict[str, Said]) -> list[str]:
    """Where what was said is not what must be said."""
    found = [f"{name}: nothing was said" for name in expected.keys() - said.keys()]
    for name in expected.keys() & said.keys():
        wanted, got = expected[name], said[name]
        if got.verdict != wanted["verdict"]:
            found.append(f"{name}: {got.verdict}, not {wanted['verdict']}: {wanted['why']}")
        found += [f"{name}: not also {word}" for word in wanted.get("also", ()) if word not in got.words]
        found += [f"{name}: must not be {word}" for word in wanted.get("must_not", ()) if word in got.words]
        if "findings" in wanted and set(got.findings) != set(wanted["findings"]):
            found.append(f"{name}: the findings are {got.findings}")
    return found
