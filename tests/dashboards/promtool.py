"""Runs promtool on the project's rules, as they are or broken on purpose."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.real.programs import require

PROMETHEUS = Path(__file__).resolve().parents[2] / "dashboards" / "prometheus"
RULES = PROMETHEUS / "counterfoil.rules.yml"
STORIES = sorted(PROMETHEUS.glob("*.test.yml"))


def promtool(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run promtool; skips the test, or fails it in CI, where there is none."""
    program = require("prometheus")["promtool"]
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


def rules() -> dict[str, dict[str, Any]]:
    """The committed rules by name."""
    content = yaml.safe_load(RULES.read_text())
    return {rule.get("alert") or rule["record"]: rule for group in content["groups"] for rule in group["rules"]}


def broken(folder: Path, name: str, field: str, old: str, new: str) -> None:
    """Lay the rules with one changed field of one rule, and the stories, into a folder."""
    content = yaml.safe_load(RULES.read_text())
    for group in content["groups"]:
        for rule in group["rules"]:
            if name in (rule.get("alert"), rule.get("record")):
                assert old in str(rule[field]), f"{name}: {field} has no {old!r}"
                rule[field] = str(rule[field]).replace(old, new)
    (folder / RULES.name).write_text(yaml.safe_dump(content, width=10_000))
    for story in STORIES:
        (folder / story.name).write_text(story.read_text())


def story(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Run the one story whose name contains `name`, from wherever it is told."""
    (told,) = [file.name for file in STORIES if f"- name: {name}" in file.read_text()]
    return promtool("test", "rules", "--run", name, folder / told)
