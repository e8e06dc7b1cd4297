"""The rules are valid, and every story about them comes out as told."""

from __future__ import annotations

import pytest

from tests.dashboards.promtool import RULES, STORIES, promtool, rules

pytestmark = pytest.mark.real


def test_prometheus_accepts_the_rules() -> None:
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", RULES)

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(rules())} rules found" in done.stdout


@pytest.mark.parametrize("stories", STORIES, ids=lambda path: path.name)
def test_the_stories_come_out_as_told(stories) -> None:
    done = promtool("test", "rules", stories)

    assert done.returncode == 0, done.stdout + done.stderr
