"""What `bench.scale` varies: how many facts, partitions, the length of a history, skew, and what comes late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bench.scale_facts import even, histories, on_time, skewed
from bench.scale_instructions import VALGRIND, counted
from bench.scale_runs import SPARK, Case, Measured, Runs

PARTS = 8
"""Files of an archive: processes read one each."""

WRITERS = 2
ALL = ("audit", "audit-local", "sqlite", "postgres")
ARCHIVED = ("archive", "archive-local", "archive-spark")
KEPT = ("sqlite", "postgres")
SPARK_FACTS = 20_000
"""Facts of a stream, where something else is varied than their number."""

SPARK_LARGEST = 100_000
INSTRUCTED = 4_000
"""Facts whose judging is counted by valgrind, which takes forty times as long."""


def header(runs: Runs, title: str) -> None:
    runs.say(f"\n{title}\n{'':>10} {'value':>11} {'engine':>12} {'us/fact':>9} {'wall s':>8}   digest of verdicts")


def facts(runs: Runs) -> None:
    header(runs, "How many facts there are")
    for size in (10_000, 30_000) if runs.quick else (10_000, 100_000, 1_000_000, 10_000_000):
        if all(not runs.is_within("facts", engine, size) for engine in ALL):
            break
        _compared(runs, "facts", size, [even(size)], size, ALL, WRITERS)
        if size <= SPARK_LARGEST:
            _planned(runs, "facts", size, [even(size)], size, WRITERS)


def again(runs: Runs) -> None:
    header(runs, "An archive of as many facts, judged again; what it costs to make one is not in it")
    for size in (10_000, 30_000) if runs.quick else (10_000, 100_000, 300_000):
        _compared(runs, "again", size, [even(size)], size, ARCHIVED, WRITERS)


def partitions(runs: Runs) -> None:
    header(runs, "The same facts in more partitions: PostgreSQL's writers and judges, Spark's partitions")
    numbers = (1, 2) if runs.quick else (1, 2, 4, 8)
    size = 10_000 if runs.quick else 100_000
    for number in numbers:
        _compared(runs, "partitions", number, [even(size)], size, ("postgres",), number)
        _planned(runs, "partitions", number, [even(SPARK_FACTS)], SPARK_FACTS, number)
    runs.say(
        f"\nThe same, of an archive judged by audit --engine local: thousands of instructions a fact ({VALGRIND[0]})"
    )
    runs.say(f"{'':>10} {'partitions':>11} {'kinstr/fact':>12} {'largest':>9}   digest of verdicts")
    got = list(counted(1_000 if runs.quick else INSTRUCTED, numbers))
    for one in got:
        each = one.total / INSTRUCTED / 1_000 * (INSTRUCTED / (1_000 if runs.quick else INSTRUCTED))
        runs.agree("instructions", "instructions", one.digest)
        runs.measured.append(Measured("partitions", "instructions", one.partitions, each, 0.0))
        runs.say(f"{'':>10} {one.partitions:>11} {each:>12.1f} {one.largest:>9.2f}   {one.digest}")
    if not got:
        runs.say(f"left out: this machine has no {VALGRIND[0]}")


def history(runs: Runs) -> None:
    header(runs, "How many facts one operation has")
    size = 10_000 if runs.quick else 20_000
    for each in (1, 100, 10_000) if runs.quick else (1, 10, 100, 1_000, 10_000):
        _compared(runs, "history", each, [histories(size, each)], size, ("audit", *KEPT), 1)
        _planned(runs, "history", each, [histories(size, each)], size, WRITERS)


def skew(runs: Runs) -> None:
    header(runs, "One operation has a tenth of all facts (1), or none does (0)")
    size = 10_000 if runs.quick else 100_000
    for value, make in ((0, even), (1, skewed)):
        _compared(runs, "skew", value, [make(size)], size, ALL, WRITERS)
        _planned(runs, "skew", value, [make(SPARK_FACTS)], SPARK_FACTS, WRITERS)


def late(runs: Runs) -> None:
    header(runs, "A tenth of all facts comes after the verdict (1), or none does (0)")
    size = 10_000 if runs.quick else 100_000
    for value, make in ((0, lambda number: (list(even(number)),)), (1, on_time)):
        _compared(runs, "late", value, make(size), size, KEPT, WRITERS)
        _planned(runs, "late", value, make(SPARK_FACTS), SPARK_FACTS, WRITERS)


def spark(runs: Runs) -> None:
    header(runs, "Spark: the same evidence in streams, without what a stream costs that has next to nothing to do")
    runs.on_spark()


SECTIONS: Mapping[str, Callable[[Runs], None]] = {
    "facts": facts,
    "again": again,
    "partitions": partitions,
    "history": history,
    "skew": skew,
    "late": late,
    "spark": spark,
}


def _compared(  # noqa: PLR0917 -- private, and called by sections alone
    runs: Runs, what: str, value: int, phases: Iterable[Iterable[bytes]], size: int, engines: Iterable[str], number: int
) -> None:
    name = f"{what} {value}"
    folders = runs.evidence(name, phases, max(PARTS, number))
    for engine in engines:
        runs.run(Case(what, value, _named(what, value, size), folders, number, size), engine)
    runs.forget(name)


def _planned(  # noqa: PLR0917 -- as above
    runs: Runs, what: str, value: int, phases: Iterable[Iterable[bytes]], size: int, number: int
) -> None:
    folders = runs.evidence(f"{SPARK} {what} {value}", phases, 1)
    runs.run(Case(what, value, _named(what, value, size), folders, number, size), SPARK)


def _named(what: str, value: int, size: int) -> str:
    """Evidence by its content: the same name, the same digest, whatever else was varied."""
    if what == "history":
        return f"{size} facts, {value} an operation"
    return f"{size} facts, skewed" if (what, value) == ("skew", 1) else f"{size} facts"
