"""DuckDB and jq are asked the same as the audit: on the same file they find the same duplicates."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.audit import written
from bench.evidence import lines
from bench.others import commands, counted, spent


def test_all_find_the_same_on_the_same_file(tmp_path: Path) -> None:
    path = written(tmp_path / "evidence.ndjson", lines(400))
    audit = subprocess.run(
        [sys.executable, "-m", "counterfoil", "audit", str(path), "--json"], capture_output=True, text=True, check=False
    )
    judged = json.loads(audit.stdout)["operations"].values()
    by_name = [one for one in judged if one["verdict"] == "duplicate_effect"]

    duplicates, conflicts = counted(path)
    assert duplicates == len(by_name) > 0
    assert conflicts == 0
    known = commands(path)
    if "jq" not in known:
        print("left out: jq is not on PATH")
        return
    said = subprocess.run(known["jq"], capture_output=True, text=True, check=True).stdout
    assert said.split() == [str(duplicates), str(conflicts)]


def test_two_payloads_under_one_key_are_found_by_each(tmp_path: Path) -> None:
    common = '"kind":"attempt","operation_id":"a","idempotency_key":"k","transport":"timeout"'
    path = tmp_path / "evidence.ndjson"
    path.write_text("".join(f'{{{common},"payload_hash":"sha256:{hashed * 64}"}}\n' for hashed in "ab"))
    assert counted(path) == (0, 1)
    if "jq" in (known := commands(path)):
        assert subprocess.run(known["jq"], capture_output=True, text=True, check=True).stdout.split() == ["0", "1"]
    else:
        print("left out: jq is not on PATH")


def test_what_a_process_spent_is_measured(tmp_path: Path) -> None:
    path = written(tmp_path / "evidence.ndjson", lines(10))
    seconds, megabytes = spent(commands(path)["DuckDB"])
    assert seconds > 0
    assert megabytes > 1
