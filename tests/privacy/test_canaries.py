"""Secrets go in at every place where one can stand, and none of them is in anything that is ours.

The host's own spans hold them all: those are the host's. Names that an application or an operator gives on purpose
(an operation's, a tool's, a reference) are no secrets and are kept as they are.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.privacy.canaries import SECRETS, TOKENS, forms, found_in
from tests.privacy.conftest import Left

SHOWN_BY_THE_HOST = (
    "prompt argument result exception request_header response_header url_path url_query key_header key_attribute"
)
NOTHING_SEEN = 3
TELLINGS = {"counterfoil.verdict", "counterfoil.fact", "counterfoil.verdicts", "verdict charge", "verdict mail"}


def test_the_host_itself_shows_them(left: Left):
    """Else nothing would be proved by what follows."""
    assert found_in(left.theirs) >= set(SHOWN_BY_THE_HOST.split())


def test_nothing_that_we_export_holds_one(left: Left, request: pytest.FixtureRequest):
    assert found_in(left.ours) == set()
    if "broken" not in request.node.callspec.id:
        assert left.names >= TELLINGS


def test_no_file_of_the_ledger_holds_one(left: Left):
    files = left.files()
    assert "ledger.db" in files
    assert {name: found for name, content in files.items() if (found := found_in(content))} == {}


def test_a_killed_process_leaves_a_log_that_was_searched_as_well(left: Left, request: pytest.FixtureRequest):
    if "killed" in request.node.callspec.id:
        assert "ledger.db-wal" in left.files()


def test_neither_standard_error_nor_a_log_line_holds_one(left: Left):
    assert found_in(left.printed) == set()
    assert found_in(left.log) == set()


def test_what_broke_is_told_without_its_words(left: Left, request: pytest.FixtureRequest):
    broke = b"an error of counterfoil was kept from the application"
    assert (broke in left.log) == ("broken" in request.node.callspec.id)


def test_no_command_about_the_ledger_shows_one(left: Left):
    said = left.command("list") + left.command("list", "--json")
    for operation in left.operations:
        said += left.command("show", operation) + left.command("show", operation, "--json")
    assert found_in(said) == set()


def test_no_page_that_is_drawn_holds_one(left: Left):
    page = left.path("page.html")
    for words in (("audit", left.path("theirs.jsonl")), *(("show", operation) for operation in left.operations)):
        left.command(*words, "--html", page)
        drawn = Path(page).read_bytes()
        assert b"<article" in drawn
        assert found_in(drawn) == set()


@pytest.mark.parametrize("form", [(), ("--json",), ("--ndjson",)], ids=["table", "json", "ndjson"])
def test_an_audit_of_the_hosts_own_spans_shows_none(left: Left, form: tuple[str, ...]):
    said = left.command("audit", left.path("theirs.jsonl"), *form)
    assert b"order-1" in said
    assert found_in(said) == set()


def test_no_suggestion_for_settings_holds_one(left: Left, request: pytest.FixtureRequest):
    said = left.command("suggest", left.path("theirs.jsonl"))
    nothing = NOTHING_SEEN if "broken" in request.node.callspec.id else 0
    said += left.command("suggest", "--ledger", left.environment["COUNTERFOIL_LEDGER"], code=nothing)
    assert b"[tools.charge]" in said
    assert found_in(said) == set()


def test_what_an_audit_says_of_lines_that_it_can_not_read_holds_none(left: Left):
    lines = (left.folder / "theirs.jsonl").read_text().splitlines()
    spoilt = [line[: len(line) // 2] for line in lines] + [f'{{"kind": "intent", "tool": "{SECRETS["url_query"]}"}}']
    (left.folder / "spoilt.jsonl").write_text("\n".join(spoilt), encoding="utf-8")
    said = left.command("audit", left.path("spoilt.jsonl"), code=NOTHING_SEEN)
    assert b"skipped" in said
    assert found_in(said) == set()


def test_a_hash_key_keeps_small_secrets_from_being_guessed(left: Left, request: pytest.FixtureRequest):
    """Without one, who guesses a key or a request right can tell by its SHA-256. With one, nobody outside can."""
    content = left.ours + b"".join(left.files().values())
    guessed = hashlib.sha256(SECRETS["key_header"].encode())
    shown = guessed.hexdigest().encode() in content
    assert shown == request.node.callspec.id.startswith("plain")
    if not shown:
        assert not any(form in content for form in forms_of_bytes(guessed.digest()))


def forms_of_bytes(digest: bytes) -> set[bytes]:
    """A digest, raw and in the ways in which `canaries.forms` would write it."""
    return {digest, digest.hex().encode(), digest.hex().upper().encode()}


def test_the_search_finds_a_secret_however_it_is_written():
    """The searcher itself, on its own forms amid other bytes."""
    for place in ("argument", "key_header"):
        for form in forms(SECRETS[place]) | forms(TOKENS[place]):
            assert place in found_in(b"before " + form + b" after"), form
