"""The committed configurations are valid, use names that exist and nothing that its maintainers have retired."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.real.collector.conftest import CONFIGS
from tools.observe import servers

CONFIGURATIONS = ("agent", "gateway", "fleet")
VARIABLE = re.compile(r"\$\{env:([A-Z_]+)(?::-([^}]*))?\}")


def text(name: str) -> str:
    return (CONFIGS / f"{name}.yaml").read_text()


def run(otelcol: Path, *words: str, storage: Path) -> str:
    done = subprocess.run(
        [otelcol, *words],
        env={"COLLECTOR_STORAGE": str(storage)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.real
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_collector_finds_it_valid_as_it_stands(otelcol: Path, tmp_path: Path, name: str) -> None:
    said = run(otelcol, "validate", "--config", str(CONFIGS / f"{name}.yaml"), storage=tmp_path)
    assert "deprecat" not in said.lower()


@pytest.mark.real
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_it_starts_without_a_warning(otelcol: Path, tmp_path: Path, name: str) -> None:
    with servers.collector(name, tmp_path, [CONFIGS / f"{name}.yaml"]) as collector:
        collector.stop()
        warnings = [line for line in collector.log_text().splitlines() if re.search(r"\t(warn|error)\t", line)]
    assert warnings == []


@pytest.mark.real
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_components_go_by_their_current_names(otelcol: Path, tmp_path: Path, name: str) -> None:
    """`components` lists current names only; a deprecated alias still works and is not in the list."""
    current = yaml.safe_load(run(otelcol, "components", storage=tmp_path))
    for kind in ("receivers", "processors", "exporters", "connectors", "extensions"):
        known = {each["name"] for each in current[kind] or []}
        used = {identity.partition("/")[0] for identity in yaml.safe_load(text(name)).get(kind, {})}
        assert used <= known, f"{kind} of {name}.yaml"


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_everything_that_is_configured_is_used(name: str) -> None:
    config: dict[str, Any] = yaml.safe_load(text(name))
    pipelines = config["service"]["pipelines"].values()
    used = set(config["service"]["extensions"])
    for pipeline in pipelines:
        used.update(pipeline["receivers"], pipeline.get("processors", ()), pipeline["exporters"])
    configured = {
        identity
        for kind in ("receivers", "processors", "exporters", "connectors", "extensions")
        for identity in config.get(kind, {})
    }
    assert configured == used


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_readme_lists_every_variable_with_its_default(name: str) -> None:
    readme = (CONFIGS / "README.md").read_text()
    section = readme.partition(f"### {name}.yaml")[2].partition("\n### ")[0]
    for variable, default in VARIABLE.findall(text(name)):
        assert re.search(rf"\| `{variable}` \| `{re.escape(default)}` \|", section), variable


def test_the_names_are_those_of_the_contract() -> None:
    contract = (CONFIGS.parent / "telemetry.yaml").read_text()
    # Names in regular expressions have their dots escaped, and a pattern may end where a name goes on.
    names = {found for name in CONFIGURATIONS for found in re.findall(r'"(counterfoil(?:\.[a-z_]+)+)"', text(name))}
    assert {"counterfoil.verdict", "counterfoil.fact"} <= names
    for each in names | set(re.findall(r"\[(counterfoil[a-z_.]+)\]", text("fleet"))):
        assert re.search(rf"(?<![\w.]){re.escape(each)}(?![\w.])", contract), each
