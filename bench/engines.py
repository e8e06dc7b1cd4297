"""What the engines for a fleet and for archives cost a fact: an audit by all cores, and Spark.

CPU time of all processes that took part, Spark's JVM and its Python workers among them; a first stream, which loads
everything, is not counted. ``--long`` adds the sizes that take an hour. ``--write FOLDER`` puts a page of what was
printed and its picture there.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, sleep

import orjson

from bench.audit import audited, written
from bench.evidence import LINES_PER_OPERATION, lines

SIZES, LONG_SIZES = (1_000, 10_000), (100_000, 1_000_000)
PARTITIONS = (1, 4)
HISTORIES = (1, 100, 10_000)
AT_ONCE = 10_000
"""Facts in a file, and a file in a micro-batch."""

Rows = list[tuple[str, int, float]]
"""What was varied, its value, and CPU microseconds a fact."""


def histories(facts: int, each: int) -> Iterator[bytes]:
    """As many facts, all different, ``each`` of them about one operation."""
    for number in range(facts):
        about, turn = divmod(number, each)
        said = {"kind": "effect", "source": "probe", "effect_ref": None, "count": 1, "authoritative": True}
        when = f"2026-01-01T{turn // 3600:02d}:{turn // 60 % 60:02d}:{turn % 60:02d}Z"
        yield orjson.dumps({**said, "operation_id": f"op-{about}", "observed_at": when})


def cpu_s() -> float:
    """CPU seconds of this process and all that it started, also those that have ended."""
    parents, used = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = entry.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        number = int(entry.parent.name)
        parents[number], used[number] = int(after[1]), sum(map(int, after[11:15]))
    ours = {os.getpid()}
    while more := {number for number, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(used.get(number, 0) for number in ours) / os.sysconf("SC_CLK_TCK")


def on_spark(content: Iterable[bytes], partitions: int, folder: Path) -> float:
    """CPU seconds of one stream, from its start until all was judged."""
    from counterfoil.engines.job import lines as read
    from counterfoil.engines.job import start
    from counterfoil.engines.spark import session, verdicts
    from counterfoil.engines.times import Times
    from counterfoil.ledger.judging import SECOND, Timing

    small = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    spark = session("bench", small | {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"})
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    facts = folder / "facts"
    facts.mkdir(parents=True)
    known = list(content)
    for number in range(0, len(known), AT_ONCE):
        written(facts / f"{number:09d}.ndjson", known[number : number + AT_ONCE])
    before = cpu_s()
    said = verdicts(read(spark, str(facts), most_files=1), Times(Timing(0, 600 * SECOND)))
    query = start(said, str(folder / "said"), str(folder / "checkpoint"), every_s=0)
    while sum(batch["numInputRows"] for batch in query.recentProgress) < len(known):
        if (broken := query.exception()) is not None:
            raise broken
        sleep(0.1)
    used = cpu_s() - before
    query.stop()
    return used


def spark_rows(sizes: Iterable[int]) -> Iterator[tuple[str, int, float]]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as name:
        runs = [("facts", size, lines(size // LINES_PER_OPERATION), size, 2) for size in sizes]
        runs += [("partitions", p, lines(AT_ONCE // LINES_PER_OPERATION), AT_ONCE, p) for p in PARTITIONS]
        runs += [("facts an operation", each, histories(AT_ONCE, each), AT_ONCE, 2) for each in HISTORIES]
        on_spark(lines(10), 2, Path(name) / "first")
        for number, (varied, value, content, facts, partitions) in enumerate(runs):
            yield varied, value, 1e6 * on_spark(content, partitions, Path(name) / str(number)) / facts


def archive(folder: Path, facts: int, parts: int) -> None:
    with ExitStack() as stack:
        files = [stack.enter_context(open(folder / f"{part}.ndjson", "wb")) for part in range(parts)]
        for number, line in enumerate(lines(facts // LINES_PER_OPERATION)):
            files[number % parts].write(line + b"\n")


def audits(sizes: Iterable[int]) -> Iterator[str]:
    yield f"{'lines':>10} {'engine':>8} {'seconds':>8} {'CPU s':>8} {'us/line':>8} {'MB':>6}"
    with tempfile.TemporaryDirectory() as name:
        for size in sizes:
            parts = 8  # an archive is many files; processes read one each
            folder = Path(name) / str(size)
            folder.mkdir()
            # By another process: what this one once held would count for those that it starts.
            writer = get_context("spawn").Process(target=archive, args=(folder, size, parts))
            writer.start()
            writer.join()
            for engine in ("one", "local"):
                began = monotonic()
                used, megabytes = audited(folder, "--ndjson", *(("--engine", engine) if engine == "local" else ()))
                took, each = monotonic() - began, 1e6 * used / size
                yield f"{size:>10,} {engine:>8} {took:>8.1f} {used:>8.2f} {each:>8.1f} {megabytes:>6.0f}"


def picture(rows: Rows, path: Path) -> None:
    """A panel for each thing that was varied; flat is what is hoped for."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.0), layout="constrained")
    varied = list(dict.fromkeys(row[0] for row in rows))
    for axes, what in zip(figure.subplots(1, len(varied)), varied, strict=True):
        axes.plot(*zip(*[row[1:] for row in rows if row[0] == what], strict=True), color="#0072B2", marker="o")
        axes.set(xscale="log", ylim=(0, None), xlabel=what, ylabel="CPU microseconds a fact")
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle("What Spark costs a fact", x=0.01, ha="left", fontweight="bold")
    path.parent.mkdir(exist_ok=True)
    with mpl.rc_context({"font.size": 9, "savefig.facecolor": "white"}):
        figure.savefig(path, dpi=130, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    sizes = (*SIZES, *LONG_SIZES) if asked.long else SIZES
    printed: list[str] = []

    def say(line: str) -> None:
        printed.append(line)
        print(line, flush=True)

    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    say(f"{python}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f}: other work shares them\n")
    say("An audit in one process, and by all cores (--engine local)")
    for line in audits((*sizes, 100_000) if not asked.long else sizes):
        say(line)
    say(f"\nSpark, CPU microseconds a fact\n{'varied':>20} {'value':>10} {'us/fact':>9}")
    rows: Rows = []
    for row in spark_rows(sizes):
        rows.append(row)
        say(f"{row[0]:>20} {row[1]:>10,} {row[2]:>9.0f}")
    if asked.write is not None:
        picture(rows, asked.write / "pictures" / "fleet-spark.png")
        page = "\n".join(printed)
        head = "# What engines for a fleet cost\n\nPrinted by `python -m bench.engines --write docs`.\n\n"
        chart = "![CPU time a fact on Spark](pictures/fleet-spark.png)\n"
        (asked.write / "fleet-figures.md").write_text(f"{head}{chart}\n```text\n{page}\n```\n", encoding="utf-8")


if __name__ == "__main__":
    main()
