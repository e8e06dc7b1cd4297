"""An audit held against an earlier one prints what is said otherwise, and nothing else."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.archives.folders import TESTS, counterfoil, mixture

SPANS = TESTS / "histories" / "spans" / "urllib3-old" / "retried.otlp.json"
TRACE, TOOL, KEY = "00000000000000000000000000000001", "charge", "order-17"


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """All that an audit reads, and the spans of a tool `charge`, of `refund` and of `look`."""
    folder = mixture(tmp_path_factory.mktemp("lines"))
    spans = SPANS.read_text()
    assert all(said in spans for said in (TRACE, f'"{TOOL}"', KEY))
    for number, tool in enumerate(("charge", "refund", "look"), 0xA1):
        of_tool = spans.replace(TRACE, f"{number:032x}").replace(f'"{TOOL}"', f'"{tool}"')
        (folder / f"{tool}.jsonl").write_text(of_tool.replace(KEY, f"{tool}-17"))
    return folder


@pytest.fixture(scope="module")
def before(lines, tmp_path_factory):
    file = tmp_path_factory.mktemp("before") / "verdicts.ndjson"
    file.write_bytes(counterfoil("audit", lines, "--ndjson").stdout)
    return file


def test_the_same_again_changed_nothing(lines, before):
    ran = counterfoil("audit", lines, "--against", before)
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout.startswith(b"0 changed, ")


@pytest.mark.parametrize("engine", [[], ["--engine", "local"]], ids=["one process", "local"])
def test_a_tool_that_turns_out_to_read_only_changes_its_operations_and_no_other(lines, before, tmp_path, engine):
    config = tmp_path / "counterfoil.toml"
    config.write_text("[tools.look]\nside_effect = false\n")
    ran = counterfoil("audit", lines, *engine, "--against", before, "--ndjson", COUNTERFOIL_CONFIG=str(config))
    assert ran.returncode == 1, ran.stderr.decode()
    (changed,) = map(json.loads, ran.stdout.splitlines())
    assert changed["before"]["verdict"] == "indeterminate"
    assert changed["after"] == {"verdict": "healthy", "outcome": "healthy", "findings": [], "reason": None}
    audited = counterfoil("audit", lines, "--json", COUNTERFOIL_CONFIG=str(config)).stdout
    assert json.loads(audited)["operations"][changed["operation_id"]]["tool"] == "look"


def test_archives_are_held_against_what_lines_said(lines, before, tmp_path):
    assert counterfoil("archive", lines, "--to", tmp_path).returncode == 0
    assert counterfoil("audit", tmp_path, "--against", before).stdout.startswith(b"0 changed, ")

    config = tmp_path / "counterfoil.toml"
    config.write_text("[tools.look]\nside_effect = false\n")
    again = counterfoil("audit", tmp_path, "--against", before, COUNTERFOIL_CONFIG=str(config))
    assert again.stdout.startswith(b"0 changed, "), "a fact keeps what the settings were when it was made"
    made_anew = counterfoil("archive", lines, "--to", tmp_path / "new", COUNTERFOIL_CONFIG=str(config))
    assert made_anew.returncode == 0
    changed = counterfoil("audit", tmp_path / "new", "--against", before)
    assert "→ healthy\n1 changed, " in changed.stdout.decode()


def test_what_came_and_what_is_gone_is_said_too(lines, before, tmp_path):
    told = before.read_text().splitlines(keepends=True)
    (tmp_path / "less.ndjson").write_text("".join(told[1:]))
    more = json.loads(told[-1]) | {"history_id": "zzz"}
    (tmp_path / "more.ndjson").write_text("".join([*told, json.dumps(more)]))

    came = counterfoil("audit", lines, "--against", tmp_path / "less.ndjson", "--json")
    (one,) = json.loads(came.stdout)["changed"]
    assert (came.returncode, one["before"], one["operation_id"]) == (1, None, json.loads(told[0])["operation_id"])
    gone = counterfoil("audit", lines, "--against", tmp_path / "more.ndjson")
    assert gone.returncode == 1
    assert gone.stdout.decode().splitlines()[0].startswith("zzz: ")
    assert gone.stdout.decode().splitlines()[0].endswith(" → not there")


def test_the_last_revision_of_verdicts_in_parquet_counts(lines, before, tmp_path):
    """Columns as the job on Spark writes them, which never looks at message lists."""
    told = [one for one in map(json.loads, before.read_text().splitlines()) if "operation_id" in one]
    names = ("operation_id", "verdict", "outcome", "findings", "reason")
    rows = [{**{name: one[name] for name in names}, "revision": 2} for one in told]
    rows += [row | {"revision": 1, "verdict": "healthy"} for row in rows]
    schema = pa.Table.from_pylist(rows).schema.set(3, pa.field("findings", pa.list_(pa.string())))
    pq.write_table(pa.Table.from_pylist(rows[::-1], schema), tmp_path / "part-0.parquet")
    same = counterfoil("audit", lines, "--against", tmp_path)
    assert same.stdout.decode() == f"0 changed, {len(told):,} as before.\n", same.stderr.decode()

    pq.write_table(pa.Table.from_pylist([rows[0] | {"revision": 3, "reason": "conflict"}]), tmp_path / "part-1.parquet")
    changed = counterfoil("audit", lines, "--against", tmp_path, "--ndjson")
    (one,) = map(json.loads, changed.stdout.splitlines())
    assert one["operation_id"] == rows[0]["operation_id"]
    assert one["before"]["reason"] == "conflict"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"operation_id": "op-1"}\n', "verdicts.ndjson:1 is no verdict"),
        ("no json\n", "verdicts.ndjson:1 is no verdict"),
        (
            '{"operation_id": "b", "verdict": "healthy", "findings": []}\n'
            '{"operation_id": "a", "verdict": "healthy", "findings": []}\n',
            "not in the order in which audit writes",
        ),
    ],
)
def test_what_is_no_earlier_audit_is_refused(lines, tmp_path, text, why):
    file = tmp_path / "verdicts.ndjson"
    file.write_text(text)
    ran = counterfoil("audit", lines, "--against", file)
    assert ran.returncode == 2
    assert why in " ".join(ran.stderr.decode().replace("│", " ").split())
