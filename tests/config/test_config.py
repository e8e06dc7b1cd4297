"""Settings are read from the environment and one file; a mistake is told with its way out and stops nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil import names
from counterfoil.config import Config, Lookup, Place, Volatile
from counterfoil.config.load import _SETTINGS, _TOOL_SETTINGS, PREFIX
from counterfoil.errors import ConfigError


def written(tmp_path: Path, text: str, **environ: str) -> dict[str, str]:
    path = tmp_path / "counterfoil.toml"
    path.write_text(text, encoding="utf-8")
    return {names.CONFIG_SETTING: str(path), **environ}


def test_nothing_set_is_all_defaults() -> None:
    assert Config.load({}) == (Config(), ())
    assert Config().validate() == Config()


def test_every_setting_of_the_contract_can_be_set() -> None:
    elsewhere = {names.CONFIG_SETTING, names.HASH_KEY_SETTING, names.HASH_KEY_FILE_SETTING}
    assert {PREFIX + name.upper() for name in _SETTINGS} | elsewhere == set(names.SETTINGS)
    assert tuple(_TOOL_SETTINGS) == names.TOOL_SETTINGS


def test_the_environment_is_read() -> None:
    config = Config.from_env(
        {
            "COUNTERFOIL_SETTLE_AFTER": "250ms",
            "COUNTERFOIL_DEADLINE": "2m",
            "COUNTERFOIL_EMIT": "spans, events",
            "COUNTERFOIL_VERDICT_SPANS": "notable",
            "COUNTERFOIL_MAX_OPERATIONS": "50",
            "COUNTERFOIL_LEDGER": "sqlite:///book.db",
            "COUNTERFOIL_HASH_KEY": "sixteen characters and more",
        }
    )
    assert (config.settle_after_s, config.deadline_s, config.max_operations) == (0.25, 120, 50)
    assert (config.emit, config.verdict_spans) == (frozenset({"spans", "events"}), "notable")
    assert config.hash_key == b"sixteen characters and more"
    assert "sixteen" not in repr(config)


def test_a_file_names_the_tools_and_the_environment_wins(tmp_path: Path) -> None:
    environ = written(
        tmp_path,
        """
        settle_after = 2
        deadline = "1h"
        emit = ["metrics"]
        [tools.charge_card]
        side_effect = true
        idempotency_key = "header:X-Request-Id"
        effect_ref = "charge.id"
        intent_ref = "order"
        operation_id = "result:job"
        volatile = ["sent_at", "items[*].seen_at"]
        key_ttl = "24h"
        settle_after = "30s"
        probe = "shop.probes:find_charge"
        idempotent = false
        """,
        COUNTERFOIL_SETTLE_AFTER="3s",
    )
    config = Config.from_env(environ)
    tool = config.tool("charge_card")
    assert (config.settle_after_s, config.deadline_s, config.emit) == (3, 3600, frozenset({"metrics"}))
    assert tool.idempotency_key == Lookup(Place.HEADER, "x-request-id")
    assert tool.effect_ref == Lookup(Place.RESULT, "charge.id")
    assert tool.operation_id == Lookup(Place.RESULT, "job")
    assert (tool.key_ttl_s, config.settle_after("charge_card"), config.settle_after("other")) == (86_400, 30, 3)
    assert config.tool("never heard of").side_effect is None


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"COUNTERFOIL_SETTLE_AFTER": "soon"}, "COUNTERFOIL_SETTLE_AFTER is 'soon': write a duration such as"),
        ({"COUNTERFOIL_SETTLE_AFTER": "-1s"}, "COUNTERFOIL_SETTLE_AFTER is '-1s': write a duration"),
        ({"COUNTERFOIL_EMIT": "spans,smoke"}, "COUNTERFOIL_EMIT is 'spans,smoke': write one or more of spans, metrics"),
        ({"COUNTERFOIL_LEDGER": "mysql://x"}, "COUNTERFOIL_LEDGER is 'mysql://x': write memory:"),
        ({"COUNTERFOIL_ENABLED": "maybe"}, "COUNTERFOIL_ENABLED is 'maybe': write true or false"),
        ({"COUNTERFOIL_MAX_OPERATIONS": "0"}, "COUNTERFOIL_MAX_OPERATIONS is '0': write a whole number from 1"),
        ({"COUNTERFOIL_SETLE_AFTER": "5s"}, "COUNTERFOIL_SETLE_AFTER is 'set': no such setting; did you mean"),
        ({"COUNTERFOIL_HASH_KEY": "short"}, "COUNTERFOIL_HASH_KEY is '(not shown)': give it at least 16"),
        (
            {"COUNTERFOIL_CONFIG": "no/such.toml"},
            "COUNTERFOIL_CONFIG is 'no/such.toml': No such file or directory; name",
        ),
    ],
)
def test_a_mistake_in_the_environment_is_told_and_left_out(environ: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Config.from_env(environ)
    assert str(raised.value).startswith(told)
    config, problems = Config.load(environ)
    assert len(problems) == 1
    assert config.settle_after_s == Config().settle_after_s


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tools.pay]\nsideeffect = false", "sideeffect of [tools.pay]"),
        ("[tools.pay]\neffect_ref = 'a[?'", "not a JMESPath expression"),
        ("[tools.pay]\neffect_ref = 'header:'", "nothing to look up"),
        ("[tools.pay]\nvolatile = ['length(items)']", "a volatile field is a path"),
        ("[tools.pay]\nprobe = 'find charge'", "write module:function"),
        ("[tools]\npay = 3", "write a table"),
        ("settle_after = [1]", "write a duration"),
        ("settle_after = ", "name a TOML file"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    config, problems = Config.load(written(tmp_path, text))
    assert len(problems) == 1
    assert told in str(problems[0])
    assert config == Config(tools=config.tools)


def test_a_hash_key_that_cannot_be_read_is_replaced_by_a_random_one(tmp_path: Path) -> None:
    """Falling back to plain hashes would give small requests away."""
    one, problems = Config.load({names.HASH_KEY_FILE_SETTING: str(tmp_path / "missing")})
    other, _ = Config.load({names.HASH_KEY_FILE_SETTING: str(tmp_path / "missing")})
    assert len(problems) == 1
    assert one.hash_key is not None
    assert one.hash_key != other.hash_key


def test_the_hash_key_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"0123456789abcdef0123\n")
    assert Config.from_env({names.HASH_KEY_FILE_SETTING: str(tmp_path / "key")}).hash_key == b"0123456789abcdef0123"


def test_a_configuration_made_in_code_is_checked_as_well() -> None:
    with pytest.raises(ConfigError, match="max_operations is 0"):
        Config(max_operations=0).validate()
    with pytest.raises(ConfigError, match="hash_key is '\\(not shown\\)'"):
        Config(hash_key=b"short").validate()


@pytest.mark.parametrize(
    ("path", "document", "rest"),
    [
        ("sent_at", {"sent_at": 1, "to": "x"}, {"to": "x"}),
        ("a.b", {"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}),
        ("items[*].seen", {"items": [{"seen": 1, "n": 1}, {"n": 2}]}, {"items": [{"n": 1}, {"n": 2}]}),
        ("items[].seen", {"items": [{"seen": 1, "n": 1}]}, {"items": [{"n": 1}]}),
        ("items[-1]", {"items": [1, 2]}, {"items": [1]}),
        ("items[5].x", {"items": [1, 2]}, {"items": [1, 2]}),
        ("*.seen", {"a": {"seen": 1}, "b": 2}, {"a": {}, "b": 2}),
        ("a.b", ["not", "a", "table"], ["not", "a", "table"]),
    ],
)
def test_a_volatile_field_is_taken_out_and_nothing_else(path: str, document: object, rest: object) -> None:
    assert Volatile.parse(path).without(document) == rest


def test_what_does_not_fit_an_expression_is_nothing() -> None:
    assert Lookup.parse("length(id)", Place.RESULT).find({"id": 5}) is None
    assert Lookup.parse("id", Place.RESULT).find("text") is None
