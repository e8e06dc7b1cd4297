"""Folders of evidence to audit: every case beside spans and broken lines, and two thousand operations that meet."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from counterfoil.records import canonical
from tests.ledger.fleet import seen

TESTS = Path(__file__).parents[1]
CASES = TESTS / "cases"


def mixture(folder: Path) -> Path:
    """Every case, spans of two hosts that were recorded, and lines that can't be used; one of them in two files."""
    for case in CASES.glob("*.ndjson"):
        (folder / case.name).write_bytes(case.read_bytes())
    recorded = [path for path in sorted(TESTS.rglob("*.json*")) if b'"resourceSpans"' in path.read_bytes()[:200]]
    assert recorded, "no recorded spans are left to audit"
    for number, spans in enumerate(recorded[:8]):
        (folder / f"spans-{number}.jsonl").write_bytes(spans.read_bytes())
    mentioned = {"kind": "tool_call", "tool_call_id": "call-1", "tool": "refund", "operation_id": "op-1"}
    history = {"kind": "history", "history_id": "h-1", "parts": [mentioned]}
    (folder / "history.ndjson").write_bytes(json.dumps(history).encode())
    (folder / "broken-1.ndjson").write_bytes(b'no json\n{"kind": "intent"}\n{"kind": "new"}\n')
    (folder / "broken-2.ndjson").write_bytes(
        b'no json\n{"kind": "attempt", "operation_id": "op-1", "observed_at": 7}\n'
    )
    return folder


def fleet(folder: Path, files: int = 3) -> Path:
    """Two thousand operations that share keys, references and intents, the facts of each over several files."""
    facts = [canonical(fact) for fact in seen()]
    random.Random(1).shuffle(facts)
    for number in range(files):
        (folder / f"host-{number}.ndjson").write_text("\n".join(facts[number::files]))
    return folder


def counterfoil(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "counterfoil", *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, env={**os.environ, **environment})
