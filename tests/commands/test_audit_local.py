"""An audit by all cores says what the audit in one process says, to the byte."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from counterfoil.auditing.judging import judgements
from counterfoil.auditing.parallel import Asked, audited
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.auditing.told import told
from counterfoil.config import Config
from counterfoil.records import canonical
from tests.strategies import accusations

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Every case, spans of two hosts that were recorded, and lines that can't be used; one of them in two files."""
    folder = tmp_path_factory.mktemp("archive")
    for case in CASES.glob("*.ndjson"):
        (folder / case.name).write_bytes(case.read_bytes())
    tests = Path(__file__).parents[1]
    recorded = [path for path in sorted(tests.rglob("*.json*")) if b'"resourceSpans"' in path.read_bytes()[:200]]
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


@pytest.mark.parametrize("form", [["--json"], ["--ndjson"], [], ["--rows", "3"], ["--rows", "0"]], ids=" ".join)
def test_the_output_is_the_same_to_the_byte(archive, form):
    def run(*engine):
        command = [sys.executable, "-m", "counterfoil", "audit", str(archive), *form, *engine]
        return subprocess.run(command, check=False, capture_output=True)

    plain, local = run(), run("--engine", "local")
    assert local.returncode == plain.returncode == 0, local.stderr.decode()
    assert local.stdout == plain.stdout
    assert local.stderr == plain.stderr


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(accusations)
def test_what_operations_share_is_found_across_partitions(tmp_path, sent):
    path = tmp_path / "sent.ndjson"
    path.write_text("\n".join(canonical(fact) for fact in sent), encoding="utf-8", errors="surrogatepass")
    found, config, now = sources([str(path)]), Config(), 2**60
    expected = [told(one, now, config) for one in judgements(take_in(found, config))]
    with audited(found, Asked(config, now, 0), processes=2) as work:
        assert sorted(work.worst, key=lambda one: one.place) == sorted(expected, key=lambda one: one.place)
