"""`counterfoil history`, as a person or a script runs it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import TextPart
from typer.testing import CliRunner, Result

from counterfoil.cli.frame import app
from counterfoil.histories import pydantic_selfcheck
from counterfoil.histories.pydantic_actors import KEY
from counterfoil.ledger import open_ledger
from tests.histories.lists import AT, CONVERSATION, call, dumped, opening, paid, request, response, result
from tests.histories.test_naming import effect, intent

CANARY = "c4n4ry"
CONTRACT = f"""
conversation_id = "{CONVERSATION}"
provenance = "server_store"
expects_system_prompt = true
side_effect_tools = ["pay"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "contract.toml").write_text(CONTRACT)
    (tmp_path / "history.json").write_bytes(dumped(paid()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERFOIL_HASH_KEY", KEY.decode())
    return tmp_path


def history(*words: str, stdin: bytes | None = None) -> Result:
    done = CliRunner().invoke(app, ["history", *words], input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output
    return done


def test_a_list_that_is_ready_ends_with_0(folder: Path) -> None:
    done = history("history.json", "--contract", "contract.toml")
    assert (done.exit_code, done.stdout) == (0, "ready\nAll six gates hold.\n")


def test_json_out_says_all_of_it(folder: Path) -> None:
    done = history("history.json", "--contract", "contract.toml", "--json")
    assert json.loads(done.stdout) == {
        "verdict": "ready",
        "findings": [],
        "state": None,
        "waiting": None,
        "explanation": "All six gates hold.",
        "failures": {},
        "notes": [],
        "messages": 4,
        "receipts": 1,
    }


def test_a_list_that_is_not_ready_ends_with_1_and_names_the_call_by_its_hash(folder: Path) -> None:
    (folder / "history.json").write_bytes(dumped([opening(), response(call("secret-call"))]))
    done = history("history.json", "--contract", "contract.toml")
    assert done.exit_code == 1
    assert done.stdout.startswith("not ready: interrupted_tool\n")
    assert "  missing_outcome_receipt: call:" in done.stdout
    said = json.loads(history("history.json", "--contract", "contract.toml", "--json").stdout)
    assert said["findings"] == ["interrupted_tool", "missing_outcome_receipt"]
    assert said["failures"]["interrupted_tool"] == said["failures"]["missing_outcome_receipt"]
    assert "secret-call" not in done.stdout + json.dumps(said)


def test_the_list_may_come_from_standard_input(folder: Path) -> None:
    assert history("-", "--contract", "contract.toml", stdin=dumped(paid())).exit_code == 0
    assert history("-", "--contract", "contract.toml", stdin=b"[").exit_code == 3


def test_without_the_key_the_receipt_is_not_believed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COUNTERFOIL_HASH_KEY")
    done = history("history.json", "--contract", "contract.toml")
    assert done.exit_code == 1
    assert "there is no key to check it with" in done.stdout


def test_a_ledger_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "history.json").write_bytes(dumped([opening(), response(call()), request(result())]))
    words = ("history.json", "--contract", "contract.toml")
    assert history(*words).exit_code == 1
    ledger = open_ledger(f"sqlite:///{folder}/ledger.sqlite")
    ledger.add([intent("order-17"), effect("order-17")], due=AT)
    ledger.close()
    assert history(*words, "--ledger", "sqlite:///ledger.sqlite").exit_code == 0
    monkeypatch.setenv("COUNTERFOIL_LEDGER", "sqlite:///ledger.sqlite")
    assert history(*words).exit_code == 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "name the list and its contract"),
        (("history.json",), "name the list and its contract"),
        (("missing.json", "--contract", "contract.toml"), "does not exist"),
        ((".", "--contract", "contract.toml"), "is a directory"),
        (("history.json", "--contract", "missing.toml"), "does not exist"),
        (("history.json", "--contract", "history.json"), "neither TOML nor JSON"),
        (("history.json", "--contract", "contract.toml", "--ledger", "mysql://x"), "must be memory:"),
        (("history.json", "--contract", "contract.toml", "--ledger", "sqlite:///missing.sqlite"), "there is no file"),
        (("--self-check", "--contract", "contract.toml"), "it takes no FILE"),
        (("history.json", "--nonsense"), "No such option"),
    ],
)
def test_usage_ends_with_2(folder: Path, words: tuple[str, ...], complaint: str) -> None:
    done = history(*words)
    assert done.exit_code == 2
    assert complaint in " ".join(done.stderr.split())
    assert not (folder / "missing.sqlite").exists()


def test_an_unknown_term_is_refused_by_its_name(folder: Path) -> None:
    (folder / "contract.toml").write_text(CONTRACT + 'side_efect_tools = ["refund"]\n')
    done = history("history.json", "--contract", "contract.toml")
    assert done.exit_code == 2
    assert "unknown key side_efect_tools; the contract may hold: " in done.stderr


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'[{"kind": "request"',
        f'[{{"kind": "{CANARY}", "parts": []}}]'.encode(),
        b"[" * 10_000 + b"]" * 10_000,
        b'{"messages": 5}',
        b"\x00\xff",
    ],
)
def test_a_hostile_file_ends_with_3_in_plain_words(folder: Path, content: bytes) -> None:
    (folder / "history.json").write_bytes(content)
    done = history("history.json", "--contract", "contract.toml", "--json")
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("counterfoil history: it is ")
    assert CANARY not in done.stderr


def test_a_ledger_that_is_none_ends_with_3(folder: Path) -> None:
    (folder / "ledger.sqlite").write_bytes(b"no database at all" * 100)
    done = history("history.json", "--contract", "contract.toml", "--ledger", "sqlite:///ledger.sqlite")
    assert done.exit_code == 3
    assert "ledger" in done.stderr


def test_a_file_of_50_megabytes_is_refused_by_a_real_process(folder: Path) -> None:
    with (folder / "history.json").open("wb") as huge:
        huge.truncate(50 * 2**20)
    command = [sys.executable, "-m", "counterfoil", "history", "history.json", "--contract", "contract.toml"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "counterfoil history: it is larger than 32 MiB\n"


def test_nothing_of_what_was_said_is_shown(folder: Path) -> None:
    spoken = [opening(), response(TextPart(CANARY), call()), request(result(metadata={"note": CANARY}))]
    spoken[0].parts[0].content = spoken[0].parts[1].content = CANARY  # type: ignore[union-attr]
    spoken[1].parts[1].args = {"amount": CANARY}  # type: ignore[union-attr]
    spoken[2].parts[0].content = CANARY  # type: ignore[union-attr]
    (folder / "history.json").write_bytes(dumped(spoken))
    for words in ((), ("--json",)):
        done = history("history.json", "--contract", "contract.toml", *words)
        assert done.exit_code == 1
        assert CANARY not in done.output


def test_without_pydantic_ai_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    done = history("history.json", "--contract", "contract.toml")
    assert done.exit_code == 2
    assert "pip install 'counterfoil[pydantic-ai]'" in done.stderr


def test_self_check_holds_for_the_installed_version(folder: Path) -> None:
    done = history("--self-check", "--json")
    said = json.loads(done.stdout)
    assert said["changed"] == []
    assert (done.exit_code, said["stories"]) == (0, 7)
    assert said["checks"] >= 20


def test_self_check_ends_with_1_when_an_upgrade_changed_something(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def changed() -> Any:
        yield "a repair drops a result", False
        yield "the audit says ready", True
        raise RuntimeError(CANARY)

    check = pydantic_selfcheck.self_check
    monkeypatch.setattr(pydantic_selfcheck, "self_check", lambda: check({"a story": changed}))
    done = history("--self-check")
    assert done.exit_code == 1
    assert "1 stories, 3 checks, 2 changed" in done.stdout
    assert "it is not so that a repair drops a result" in done.stdout
    assert "it stopped with RuntimeError" in done.stdout
    assert CANARY not in done.output
