"""Break the rules on purpose, one at a time, and see the law or the story that must notice do so.

    python tools/mutants.py [part of a mutant's name]

The mutants are in `mutants.toml`. Each is tried in a copy of the tree, on as many copies at once as there are workers.
Fails where a mutant's old text isn't found exactly once, where the test that it names doesn't fail because of it, and
where that test fails without it. A mutant that nothing notices is a test that is missing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src", "counterfoil")
COPIED = ("src", "tests/laws", "tests/stories", "tests/strategies.py", "pyproject.toml")
WORKERS = int(os.environ.get("WORKERS", "2"))
PATIENCE = 120
"""Seconds that one run of tests may take. A mutant that hangs is a mistake in the list."""

ENVIRONMENT = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # laws and stories use none, and importing them all takes most of the time
    "HYPOTHESIS_PROFILE": "unshrunk",
}
PASSED, FAILED = 0, 1  # pytest's own; every other exit means that tests could not be run


@dataclass(frozen=True)
class Mutant:
    """One change to one file of the package, and the test that must fail because of it."""

    name: str
    file: str
    old: str
    new: str
    killed_by: str


def main(only: str = "") -> int:
    mutants = [Mutant(**row) for row in tomllib.loads((ROOT / "tools" / "mutants.toml").read_text("utf-8"))["mutant"]]
    chosen = [mutant for mutant in mutants if only in mutant.name]
    wrong = [*unusable(mutants), *([] if chosen else [f"no mutant has {only!r} in its name"])]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as pool:
        places = [copied(Path(folder, str(number))) for number in range(WORKERS)]
        tests = sorted({mutant.killed_by for mutant in chosen})
        shares = [tests[number::WORKERS] for number in range(WORKERS)]
        if wrong := [complaint for complaint in pool.map(unbroken, places, shares) if complaint]:
            print("\n".join(wrong), file=sys.stderr)
            return 1
        copies: Queue[Path] = Queue()
        for place in places:
            copies.put(place)
        fates = list(pool.map(lambda mutant: told(mutant, tried(mutant, copies)), chosen))
    killed = fates.count(None)
    print(f"{killed} of {len(chosen)} mutants killed in {time.monotonic() - started:.0f} s")
    return int(killed < len(chosen))


def unusable(mutants: list[Mutant]) -> list[str]:
    """What is wrong with the list itself: texts that aren't there exactly once, names and changes said twice."""
    found = []
    for mutant in mutants:
        times = (ROOT / PACKAGE / mutant.file).read_text("utf-8").count(mutant.old)
        if times != 1 or mutant.old == mutant.new:
            found.append(f"{mutant.name!r}: its old text is in {mutant.file} {times} times, not once")
    changes = [(mutant.file, mutant.old, mutant.new) for mutant in mutants]
    if len(set(changes)) < len(mutants) or len({mutant.name for mutant in mutants}) < len(mutants):
        found.append("two mutants have one name, or make one change")
    return found


def copied(place: Path) -> Path:
    for path in COPIED:
        source, target = ROOT / path, place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return place


def unbroken(place: Path, tests: list[str]) -> str | None:
    """The tests must pass on the rules as they are, and what they test must be the copy."""
    where = run(place, ["-c", "import counterfoil; print(counterfoil.__file__)"])
    if Path(where.stdout.strip()).resolve() != (place / PACKAGE / "__init__.py").resolve():
        return f"the copy isn't what is tested, but {where.stdout.strip()}{where.stderr}"
    outcome = pytest(place, *tests) if tests else where
    return None if outcome.returncode == PASSED else f"these fail without any mutant:\n{outcome.stdout}{outcome.stderr}"


def tried(mutant: Mutant, copies: "Queue[Path]") -> str | None:
    """None where the mutant died of the test that it names, else what happened instead."""
    place = copies.get()
    path = place / PACKAGE / mutant.file
    whole = path.read_text("utf-8")
    try:
        path.write_text(whole.replace(mutant.old, mutant.new), "utf-8")
        code = pytest(place, mutant.killed_by).returncode
        if code == FAILED:
            return None
        return f"{mutant.killed_by} {'does not notice' if code == PASSED else f'could not be run: pytest said {code}'}"
    except subprocess.TimeoutExpired:
        return f"{mutant.killed_by} took more than {PATIENCE} s"
    finally:
        path.write_text(whole, "utf-8")
        copies.put(place)


def told(mutant: Mutant, fate: str | None) -> str | None:
    print(
        f"{'killed ' if fate is None else 'ALIVE  '} {mutant.file:13} {mutant.name}{f': {fate}' if fate else ''}",
        flush=True,
    )
    return fate


def pytest(place: Path, *tests: str) -> "subprocess.CompletedProcess[str]":
    return run(place, ["-m", "pytest", "-x", "-p", "no:cacheprovider", *tests])


def run(place: Path, arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """In a process of its own. No bytecode is kept: a mutant of one second must not be taken for the next."""
    environment = os.environ | ENVIRONMENT | {"PYTHONPATH": str(place / "src")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
