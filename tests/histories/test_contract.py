"""The terms of a replay, from code, TOML and JSON; a misspelt term is an error and not an open gate."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from counterfoil.histories.contract import HistoryContract, Wait, prompt_digest
from counterfoil.histories.pydantic_messages import PROMPT_REVISION
from counterfoil.histories.pydantic_terms import terms_of
from counterfoil.reading.contracts import ContractError
from tests.histories.lists import audited, findings, opening, paid, request, response

TOML = """
conversation_id = "conversation-1"
provenance = "server_store"
prompt_digest = "revision-7"
instructions_count = false
side_effect_tools = ["pay", "refund"]
ledger_operations = ["order-17"]
owner = "anna"
caller = "anna"
authorization_context = "tenant-1"
replay_context = "tenant-1"
forked_from = "conversation-0"
merged_from = ["conversation-2"]
progress_until = 2026-01-02T00:00:00Z

[waiting]
owner = "finance"
decision = "approve the payment"
expires_at = 2026-01-01T00:00:00+01:00
resume_token = "resume-1"
calls = ["call_1"]
"""
DAY = 86_400 * 10**9
NEW_YEAR = 1_767_225_600 * 10**9


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    toml, as_json = tmp_path / "contract.toml", tmp_path / "contract"
    toml.write_text(TOML)
    said = {
        "conversation_id": "conversation-1",
        "provenance": "server_store",
        "prompt_digest": "revision-7",
        "instructions_count": False,
        "side_effect_tools": ["refund", "pay"],
        "ledger_operations": ["order-17"],
        "owner": "anna",
        "caller": "anna",
        "authorization_context": "tenant-1",
        "replay_context": "tenant-1",
        "forked_from": "conversation-0",
        "merged_from": ["conversation-2"],
        "progress_until": "2026-01-02T00:00:00Z",
        "waiting": {
            "owner": "finance",
            "decision": "approve the payment",
            "expires_at": "2025-12-31T23:00:00Z",
            "resume_token": "resume-1",
            "calls": ["call_1"],
        },
        "expects_system_prompt": None,
    }
    as_json.write_text(json.dumps(said))
    terms = terms_of(toml)
    assert terms_of(as_json) == terms_of(said) == terms
    assert terms.side_effect_tools == {"pay", "refund"}
    assert terms.progress_until == NEW_YEAR + DAY
    assert terms.waiting == Wait(
        owner="finance",
        decision="approve the payment",
        expires_at=NEW_YEAR - DAY // 24,
        resume_token="resume-1",
        calls=frozenset({"call_1"}),
    )
    assert "resume-1" not in repr(terms)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"conversation": "c"}, "unknown key conversation; the contract may hold: authorization_context, caller"),
        ({"waiting": {"until": 1}}, "unknown key waiting.until; waiting may hold: calls, decision"),
        ({"waiting": {"owner": "x"}}, "waiting.decision is missing: a wait is legitimate only if"),
        ({"waiting": "soon"}, "waiting must be a table of keys and values"),
        ({"waiting": {"expires_at": "tomorrow"}}, "waiting.expires_at: not an RFC 3339 time with an offset"),
        ({"progress_until": "2026-01-01T00:00:00"}, "progress_until: not an RFC 3339 time with an offset"),
        ({"progress_until": 5}, "progress_until: must be an RFC 3339 time with an offset"),
        ({"provenance": "server"}, 'provenance: must be "server_store" or "client"'),
        ({"provenance": ["client"]}, 'provenance: must be "server_store" or "client"'),
        ({"expects_system_prompt": "yes"}, "expects_system_prompt: must be true or false"),
        ({"side_effect_tools": "pay"}, "side_effect_tools: must be a list of names"),
        ({"side_effect_tools": {"pay": True}}, "side_effect_tools: must be a list of names"),
        ({"side_effect_tools": [5]}, "side_effect_tools: not a text"),
        ({"conversation_id": 5}, "conversation_id: not a text"),
        ({"conversation_id": "x" * 2_000}, "conversation_id: longer than 1024 characters"),
        ({5: "x"}, "unknown key 5"),
        ([], "the contract must be a table of keys and values"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(said: Any, complaint: str) -> None:
    with pytest.raises(ContractError) as wrong:
        terms_of(said)
    assert str(wrong.value).startswith(complaint)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"conversation_id = ", "neither TOML nor JSON"),
        (b"\xff\xfe", "neither TOML nor JSON"),
        (b'{"a": ' * 5_000, "neither TOML nor JSON"),
        (b"#" * (2**20 + 1), "larger than 1 MiB"),
        (b"conversation_id = 1979-05-27", "not a text"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    file = tmp_path / "contract.toml"
    file.write_bytes(content)
    with pytest.raises(ContractError, match=complaint):
        terms_of(file)
    with pytest.raises(ContractError, match="can't be read: Is a directory"):
        terms_of(tmp_path)


def test_the_caller_s_provenance_wins_and_is_checked() -> None:
    assert terms_of({"provenance": "server_store"}, "client").provenance == "client"
    assert terms_of(HistoryContract(), "server_store").provenance == "server_store"
    with pytest.raises(ContractError, match="provenance"):
        terms_of(None, "the cloud")


def test_every_term_can_be_said_in_a_file() -> None:
    with pytest.raises(ContractError) as wrong:
        terms_of({"?": 1})
    known = str(wrong.value).partition("may hold: ")[2].split(", ")
    assert set(known) == {field.name for field in fields(HistoryContract)}


def test_nothing_said_is_not_trusted() -> None:
    assert findings(paid(), provenance=None) == ["untrusted_history"]


def test_owner_and_caller_and_authorization_must_agree() -> None:
    assert findings(paid(), owner="anna", caller="anna") == []
    assert findings(paid(), owner="anna", caller="boris") == ["untrusted_history"]
    assert findings(paid(), authorization_context="tenant-1", replay_context="tenant-2") == ["scope_drift"]


def test_the_prompt_is_compared_by_digest() -> None:
    assert findings(paid(), prompt_digest=prompt_digest("You pay.")) == []
    assert findings(paid(), prompt_digest=prompt_digest("You pay twice.")) == ["system_prompt_gap"]


def test_the_digest_is_the_one_of_sha256sum() -> None:
    assert prompt_digest("You pay.") == "sha256:a00a79adfe2250a3cc8817a163c241657db8f92b75490ba53a78e621081aa3ca"


def test_the_digest_may_be_keyed_so_that_nobody_can_guess() -> None:
    from counterfoil.histories.pydantic_actors import KEY

    assert findings(paid(), prompt_digest=prompt_digest("You pay.", KEY)) == []
    assert findings(paid(), prompt_digest=prompt_digest("You pay.", b"another key")) == ["system_prompt_gap"]


def test_a_revision_must_be_named_by_the_prompt() -> None:
    assert findings(paid(), prompt_digest="revision-7") == ["system_prompt_gap"], "nobody said which revision it is"
    messages = paid()
    messages[0].parts[0].metadata = {PROMPT_REVISION: "revision-7"}  # type: ignore[union-attr]
    assert findings(messages, prompt_digest="revision-7") == []
    assert findings(messages, prompt_digest="revision-8") == ["system_prompt_gap"]


def test_instructions_count_unless_the_contract_says_otherwise() -> None:
    from pydantic_ai.messages import TextPart, UserPromptPart

    instructed = [request(UserPromptPart("hi"), instructions="You pay."), response(TextPart("done"))]
    assert findings(instructed) == []
    assert findings(instructed, instructions_count=False) == ["system_prompt_gap"]


def test_a_prompt_for_one_request_only_is_not_the_agents_prompt() -> None:
    first = opening()
    first.parts[0].scope = "request"  # type: ignore[union-attr]
    assert findings([first]) == ["system_prompt_gap"]


def test_a_list_without_ids_belongs_anywhere() -> None:
    legacy = paid()
    for message in legacy:
        message.conversation_id = message.run_id = None
    assert audited(legacy).ready


def test_a_run_is_no_conversation() -> None:
    messages = paid()
    for message in messages:
        message.run_id = message.conversation_id
    assert findings(messages) == ["scope_drift"]
