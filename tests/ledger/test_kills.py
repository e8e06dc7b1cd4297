"""Two hundred writers are killed, four at a time, each at a moment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SEED = 20
KILLS = 200


def test_no_fact_that_was_kept_is_lost_and_none_is_torn(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.ledger.killing", f"{tmp_path}/ledger.db", str(SEED), str(KILLS)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"] == KILLS
    assert (found["lost"], found["torn"], found["damage"]) == (0, 0, [])
    assert found["facts"] >= found["kept"] > KILLS
