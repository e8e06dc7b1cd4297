"""`counterfoil suggest` writes settings that can be read, most valuable first, with names and never values."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from counterfoil.cli.frame import app
from counterfoil.config import Config, Lookup, Place

GUESS = re.compile(r"^# (?=[a-z_]+ = )", re.MULTILINE)
ARGUMENTS = {"order": {"id": "o-1"}, "request_id": "r-9", "sent_at": "noon", "jane7@example.org": {"id": "x"}}


def suggest(*words: object, code: int = 0) -> Result:
    ran = CliRunner().invoke(app, ["suggest", *map(str, words)])
    assert ran.exit_code == code, ran.stderr
    return ran


def loaded(folder: Path, text: str) -> Config:
    """The settings that a process would have with this file; nothing in it may be wrong."""
    path = folder / "counterfoil.toml"
    path.write_text(text, encoding="utf-8")
    return Config.from_env({"COUNTERFOIL_CONFIG": str(path)})


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "telemetry.jsonl"
    command = [sys.executable, "-m", "counterfoil", "demo", "--out", path]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return path


def test_of_the_demo_the_tool_in_most_doubt_comes_first(demo: Path, tmp_path: Path):
    said = suggest(demo).stdout
    tools = re.findall(r"^\[tools\.(\w+)\]", said, re.MULTILINE)
    assert tools[0] == "charge_card"
    assert tools[-1] == "find_payments"
    assert re.search(r"\d+ of \d+ outcomes known", said)
    assert re.search(r"requests: POST 127\.0\.0\.1:\d+", said)
    assert list(loaded(tmp_path, said).tools) == tools


def test_as_it_is_it_changes_nothing_and_with_every_guess_it_can_be_read(demo: Path, tmp_path: Path):
    said = suggest(demo).stdout
    untouched = loaded(tmp_path, said)
    assert {untouched.tool(name) for name in untouched.tools} == {Config().tool(None)}
    taken = loaded(tmp_path, GUESS.sub("", said))
    assert taken.tool("charge_card").effect_ref == Lookup(Place.RESULT, "id")
    assert taken.tool("charge_card").side_effect is True
    assert taken.tool("find_payments").side_effect is False


def span(number: int, name: str, parent: int = 0, **attributes: str) -> dict[str, object]:
    return {
        "traceId": f"{7:032x}",
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": name,
        "kind": 3 if parent else 1,
        "startTimeUnixNano": str(1_000 + number),
        "endTimeUnixNano": str(9_000 - number),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }


def telemetry(folder: Path, tool: str, host: str = "pay.example") -> Path:
    call = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.tool.call.arguments": json.dumps(ARGUMENTS),
        "gen_ai.tool.call.result": json.dumps({"charge": {"id": "ch-1"}}),
    }
    request = {"http.request.method": "POST", "url.full": f"https://bob:pw@{host}/charges?token=t"}
    spans = [span(1, f"execute_tool {tool}", **call), span(2, "POST", 1, **request)]
    path = folder / "spans.jsonl"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"scope": {"name": "app"}, "spans": spans}]}]}))
    return path


def test_fields_are_named_and_their_values_are_not(tmp_path: Path):
    said = suggest(telemetry(tmp_path, "charge")).stdout
    tool = loaded(tmp_path, GUESS.sub("", said)).tool("charge")
    assert tool.effect_ref == Lookup(Place.RESULT, "charge.id")
    assert tool.operation_id == Lookup(Place.ARGUMENTS, "order.id")
    assert tool.idempotency_key == Lookup(Place.ARGUMENTS, "request_id")
    assert [one.text for one in tool.volatile] == ["sent_at"]
    assert "POST pay.example" in said
    assert not [value for value in ("o-1", "r-9", "noon", "ch-1", "jane", "bob", "pw", "token") if value in said]


@pytest.mark.parametrize(
    "name", ["with space", 'a"b', "a\nb", "a.b", "\x7f\x1b[2J", "]\n[tools.x", "наряд", "#", "'''"]
)
def test_the_name_of_a_tool_can_not_break_the_file(tmp_path: Path, name: str):
    said = suggest(telemetry(tmp_path, name, host="x\n[tools.y]")).stdout
    assert list(loaded(tmp_path, GUESS.sub("", said)).tools) == [name]


def test_what_it_can_not_work_with_is_told(tmp_path: Path):
    suggest(code=2)
    suggest(tmp_path / "nowhere.jsonl", code=2)
    suggest(tmp_path, "--ledger", "sqlite:///x.db", code=2)
    (tmp_path / "empty.jsonl").touch()
    assert "no call of a tool was seen" in suggest(tmp_path / "empty.jsonl", code=3).stderr
