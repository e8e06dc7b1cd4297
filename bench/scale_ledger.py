"""Lines of evidence into a ledger and verdicts out of it, by as many processes as are asked for."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from bench.scale_facts import lines_of, mark
from counterfoil.facts import Fact, Gap
from counterfoil.ledger import Ledger, open_ledger
from counterfoil.ledger.judging import Telling, Timing, judge_due
from counterfoil.reading.evidence import fact_from
from counterfoil.reading.ndjson import record_of_line

BATCH = 512
FAR = 2**62
AT_ONCE = Timing(settle_after=0, deadline=FAR)
PATIENCE_S = 120.0

Marks = dict[str, tuple[int, int]]
"""By operation, the latest revision that was told of it, and its mark (`scale_facts.mark`)."""


def facts_of(paths: Sequence[Path]) -> Iterator[list[Fact | Gap]]:
    facts = (fact_from(record_of_line(line)) for line in lines_of(paths))
    while some := list(islice(facts, BATCH)):
        yield some


def add_all(ledger: Ledger, paths: Sequence[Path]) -> None:
    for some in facts_of(paths):
        ledger.add(some, due=0)


def judge_all(ledger: Ledger, marks: Marks) -> None:
    def tell(telling: Telling) -> None:
        judgement = telling.judgement
        said = {
            "operation_id": telling.told.operation_id,
            "verdict": judgement.verdict.value,
            "outcome": judgement.outcome.value,
            "findings": [finding.value for finding in judgement.findings],
            "reason": judgement.reason.value if judgement.reason else None,
        }
        marks[telling.told.operation_id] = (telling.told.revision, mark(said))

    while judge_due(ledger, tell, now=FAR, timing=lambda tool: AT_ONCE).judged:
        pass


def in_process(url: str, phases: Sequence[Sequence[Path]]) -> Marks:
    """One process adds and judges, phase after phase."""
    marks: Marks = {}
    ledger = open_ledger(url, patience_s=PATIENCE_S)
    for paths in phases:
        add_all(ledger, paths)
        judge_all(ledger, marks)
    ledger.close()
    return marks


def by_processes(url: str, phases: Sequence[Sequence[Path]], processes: int) -> Marks:
    """Each process adds the facts of files of its own; then they all judge what is due."""
    marks: Marks = {}
    open_ledger(url, patience_s=PATIENCE_S).add([], due=0)
    for paths in phases:
        parts = [paths[number::processes] for number in range(processes)]

        def write(number: int, parts: list[Sequence[Path]] = parts) -> Marks:
            add_all(open_ledger(url, patience_s=PATIENCE_S), parts[number])
            return {}

        def judge(number: int) -> Marks:
            told: Marks = {}
            judge_all(open_ledger(url, patience_s=PATIENCE_S), told)
            return told

        _each(write, processes)
        for told in _each(judge, processes):
            for name, said in told.items():
                marks[name] = max(marks.get(name, said), said)
    return marks


def _each(work: Callable[[int], Marks], processes: int) -> list[Marks]:
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    children = [context.Process(target=lambda n=n: results.put(work(n))) for n in range(processes)]
    for child in children:
        child.start()
    got = [results.get(timeout=3_600) for _ in children]
    for child in children:
        child.join()
    return got
