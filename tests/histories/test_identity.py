"""An operation that nobody named gets its name from what survives a restart."""

import pytest

from counterfoil.reading.identity import derived_operation_id, is_id

HASH = "sha256:" + "a" * 64


def test_the_name_depends_on_conversation_call_and_request_alone() -> None:
    name = derived_operation_id("conversation-1", "call_1", HASH)
    assert name is not None
    assert name == derived_operation_id("conversation-1", "call_1", HASH)
    others = [
        derived_operation_id("conversation-2", "call_1", HASH),
        derived_operation_id("conversation-1", "call_2", HASH),
        derived_operation_id("conversation-1", "call_1", "sha256:" + "b" * 64),
        derived_operation_id("conversation-1", "call_1", None),
        derived_operation_id("conversation-1c", "all_1", HASH),
    ]
    assert len({name, *others}) == 6


def test_the_name_stays_what_it_is() -> None:
    """Ledgers hold such names: another recipe would make strangers of them."""
    name = derived_operation_id("conversation-1", "call_1", HASH)
    assert name == "derived:a12376b365f9e99265664a0db226c064"


def test_the_name_shows_neither_conversation_nor_call() -> None:
    name = derived_operation_id("conversation-1", "call_1", HASH) or ""
    assert "conversation-1" not in name
    assert "call_1" not in name


@pytest.mark.parametrize("word", [None, "", "  ", "unknown", "Unknown", "None", "<not specified>", "null"])
def test_a_word_for_no_id_names_nothing(word: str | None) -> None:
    assert not is_id(word)
    assert derived_operation_id("conversation-1", word, HASH) is None
    assert derived_operation_id(word, "call_1", HASH) is None


def test_what_json_cannot_hold_names_nothing() -> None:
    assert derived_operation_id("conversation-1", "\ud800", HASH) is None
