"""Fuzz every reader, guided by which code it reaches: `python -m prove.fuzz [PROMISE …] [--seconds 60] [--seed 1]`.

Each promise has a process of its own, since the fuzzer never returns. It begins with the repository's own evidence.
Input that breaks a promise is kept under build/fuzz, to become a test of its kind. Exit codes: 0 all held; 1 not.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("audit", "settings", "history", "row", "receipt")
SEEDS = {
    "audit": ("tests/cases/*.ndjson", "tests/histories/spans/*/*.otlp.json"),
    "settings": ("tests/**/*.toml", "pyproject.toml"),
    "history": ("tests/cases/*.ndjson",),
}
LONGEST = 8_192
"""Bytes of one input at most; longer seeds are cut into pieces of this length."""

SLOW_S = 10
"""An input that takes longer than this breaks every promise."""


def main(names: list[str], seconds: int, seed: int) -> int:
    broken = [name for name in names if not held(name, seconds, seed)]
    but = f"; not {', '.join(broken)}" if broken else ""
    print(f"{len(names) - len(broken)} of {len(names)} promises held{but}")
    return 1 if broken else 0


def held(name: str, seconds: int, seed: int) -> bool:
    """Whether nothing that the fuzzer made within these seconds broke a promise."""
    kept = ROOT / "build" / "fuzz" / name
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        seeded(Path(corpus), SEEDS.get(name, ()))
        command = [
            *(sys.executable, "-m", "prove.fuzz", "--only", name, corpus),
            *(f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={LONGEST}", f"-timeout={SLOW_S}"),
            *(f"-artifact_prefix={kept}{os.sep}", "-print_final_stats=1", "-rss_limit_mb=1024"),
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()
    runs = next((line.rpartition(" ")[2] for line in said if "number_of_executed_units" in line), "no")
    print(f"{name}: {runs} inputs, {'held' if done.returncode == 0 else f'BROKEN, see {kept.relative_to(ROOT)}'}")
    if done.returncode != 0:
        print("\n".join(said[-40:]), file=sys.stderr)
    return done.returncode == 0


def seeded(corpus: Path, patterns: tuple[str, ...]) -> None:
    """Put pieces of files into a folder, each a place to start from."""
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern) if ".venv" not in path.parts):
        content = path.read_bytes()
        for start in range(0, min(len(content), 4 * LONGEST), LONGEST):
            name = f"{path.parent.name}-{path.name}-{start}"
            (corpus / name).write_bytes(content[start : start + LONGEST])


def fuzz(name: str, options: list[str]) -> None:
    """Never returns: the process ends with the fuzzer's own exit code."""
    import atheris

    with atheris.instrument_imports(include=["counterfoil"]):
        from prove.fuzz.promises import PROMISES
    atheris.Setup([sys.argv[0], *options], PROMISES[name])
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--only"]:
        fuzz(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PROMISE", help=", ".join(NAMES))
    parser.add_argument("--seconds", type=int, default=60, help="how long each is fuzzed")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(NAMES)):
        parser.error(f"no promise is called {', '.join(unknown)}; choose from {', '.join(NAMES)}")
    raise SystemExit(main(asked.names or list(NAMES), asked.seconds, asked.seed))
