"""How a probe is written down, and what is said of one that can't be used: the key, the value and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil import names
from counterfoil.config import Config, Limit
from counterfoil.probing.resolving import problems

ALL = """
[tools.pay]
expect = "status == 'paid'"
settle_after = "30s"

[tools.pay.probe]
url = "https://pay.example/charges?key={key}"
headers = { Authorization = "Bearer ${PAY_TOKEN}" }
found = "data[*].id"
absent = [404]
first = "2s"
factor = 3
longest = "10m"
most = 5
deadline = "2h"
timeout = "3s"
at_once = 1
per_minute = 30

[targets."pay.example"]
at_once = 2
per_minute = 40
"""


def loaded(tmp_path: Path, text: str) -> tuple[Config, list[str]]:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    config, found = Config.load({names.CONFIG_SETTING: str(path)})
    return config, [str(problem).replace(str(path), "FILE") for problem in found]


def test_everything_can_be_said(tmp_path: Path) -> None:
    config, found = loaded(tmp_path, ALL)
    probe = config.tool("pay").probe
    assert found == []
    assert probe is not None
    assert (probe.target, probe.pace.first_s, probe.pace.deadline_s) == ("pay.example", 2, 7_200)
    assert (probe.limit, config.targets) == (Limit(at_once=1, per_minute=30), {"pay.example": Limit(per_minute=40)})
    assert list(problems(config, {"PAY_TOKEN": "x"})) == []


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('"find charge"', "write module:function"),
        ("{ }", "name one of function, url and sql"),
        ('{ url = "https://pay.example/{key}" }', "say in found or count"),
        ('{ url = "ftp://pay.example/{key}", found = "id" }', "url in it can't be used: write http(s)://host/path"),
        ('{ url = "https://{key}.example/", found = "id" }', "url in it can't be used"),
        ('{ url = "https://a:b@pay.example/", found = "id" }', "url in it can't be used"),
        ('{ url = "https://pay.example/{secret}", found = "id" }', "url in it can't be used"),
        ('{ url = "https://pay.example/{key.__class__}", found = "id" }', "url in it can't be used"),
        ('{ url = "https://pay.example/{key}", found = "id", headers = { A = "tok_live_1" } }', "name a variable"),
        ('{ url = "https://pay.example/{key}", found = "[" }', "not a JMESPath expression"),
        ('{ sql = "DELETE FROM a WHERE b = :key", database = "${DB}" }', "write one SELECT"),
        ('{ sql = "SELECT 1; DELETE FROM a", database = "${DB}" }', "write one SELECT"),
        ('{ sql = "SELECT a FROM b WHERE c = :key" }', "sql and database go together"),
        ('{ function = "a:b", most = 0 }', "most in it can't be used: write a whole number from 1 to 100"),
        ('{ function = "a:b", often = 3 }', "often is no key of a probe"),
    ],
)
def test_a_mistake_is_told_with_its_way_out_and_costs_the_probe_alone(tmp_path: Path, written: str, says: str) -> None:
    config, found = loaded(tmp_path, f"[tools.pay]\nside_effect = true\nprobe = {written}\n")
    assert len(found) == 1
    assert found[0].startswith("probe of [tools.pay] in FILE is ")
    assert says in found[0]
    assert "tok_live_1" not in found[0]
    assert config.tool("pay").probe is None
    assert config.tool("pay").side_effect is True


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        ('probe = "no.such.module:find"', "no.such.module:find can't be imported here (ModuleNotFoundError)"),
        ('probe = "os:nothing"', "os:nothing can't be imported here (AttributeError)"),
        ('probe = "os:sep"', "os:sep can't be called"),
        ('expect = "a == `1`"', "declare a probe"),
        ('probe = "os:getpid"\nexpect = "no.such:thing"', "no.such:thing can't be imported here"),
        (
            'probe = { url = "https://a.example/", found = "id", headers = { A = "${PAY_TOKEN}" } }',
            "PAY_TOKEN is not set here",
        ),
        ('probe = { sql = "SELECT a FROM b WHERE c = :key", database = "${SHOP}" }', "no database is meant"),
    ],
)
def test_what_only_shows_where_it_runs_is_told_at_the_start(tmp_path: Path, tool: str, says: str) -> None:
    config, found = loaded(tmp_path, f"[tools.pay]\n{tool}\n")
    assert found == []
    [problem] = problems(config, {"SHOP": "nonsense-with-a-password"})
    assert says in str(problem)
    assert "nonsense-with-a-password" not in str(problem)
