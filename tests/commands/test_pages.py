"""`show --html` and `audit --html`: a page beside what is printed, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from counterfoil.cli.frame import app
from counterfoil.ledger import open_ledger
from counterfoil.testing import story

CASE = Path(__file__).parents[1] / "cases" / "07_timeout_then_retry_creates_two.ndjson"


def counterfoil(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/ledger.db"
    opened = open_ledger(url)
    opened.add(story("intent pay op=order-1; attempt timeout op=order-1; webhook pay_1 op=order-1"), due=0)
    opened.close()
    return url


def test_show_writes_a_page_and_prints_what_it_always_prints(ledger: str, tmp_path: Path) -> None:
    page = tmp_path / "order.html"
    plain = counterfoil("show", "order-1", "--ledger", ledger)
    drawn = counterfoil("show", "order-1", "--ledger", ledger, "--html", page)
    assert drawn.exit_code == 0
    assert drawn.stdout.splitlines()[:3] == plain.stdout.splitlines()[:3]
    text = page.read_text(encoding="utf-8")
    assert text.count("<article") == 1
    assert "webhook: holds pay_1" in text


@pytest.mark.parametrize("form", [(), ("--json",), ("--ndjson",)], ids=["table", "json", "ndjson"])
def test_audit_writes_a_page_whatever_else_it_writes(form: tuple[str, ...], tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    drawn = counterfoil("audit", CASE, *form, "--html", page)
    assert drawn.stdout == counterfoil("audit", CASE, *form).stdout
    text = page.read_text(encoding="utf-8")
    assert "1 operation</h1>" in text
    assert 'href="#op-1"' in text
    assert "duplicate_effect" in text


def test_the_page_is_written_before_the_exit_code_says_what_was_found(tmp_path: Path) -> None:
    done = counterfoil("audit", CASE, "--fail-on", "duplicate_effect", "--html", tmp_path / "audit.html")
    assert done.exit_code == 1
    assert (tmp_path / "audit.html").exists()


def test_an_audit_of_nothing_has_a_page_as_well(tmp_path: Path) -> None:
    (tmp_path / "empty.ndjson").touch()
    counterfoil("audit", tmp_path / "empty.ndjson", "--html", tmp_path / "audit.html")
    assert "0 operations</h1>" in (tmp_path / "audit.html").read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_said_before_anything_is_read(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "missing" / "page.html"):
        done = counterfoil("audit", CASE, "--html", wrong)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "name a file in a folder that you may write to" in " ".join(done.stderr.split())


def test_a_page_replaces_the_one_before_it_and_leaves_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    page.write_text("before")
    counterfoil("audit", CASE, "--html", page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [page]
    assert page.stat().st_mode & 0o777 == 0o644


def test_show_lists_a_fact_without_a_time_last_and_not_in_1970(ledger: str) -> None:
    opened = open_ledger(ledger)
    opened.add(story("claim success op=order-1 at=0"), due=0)
    opened.close()
    lines = counterfoil("show", "order-1", "--ledger", ledger).stdout.splitlines()
    (timeless,) = [line for line in lines if "reported success" in line]
    assert "time unknown" in timeless
    assert lines.index(timeless) == max(n for n, line in enumerate(lines) if "webhook: holds" in line) + 1
