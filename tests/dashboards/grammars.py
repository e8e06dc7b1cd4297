"""Every query in links, dashboards, runbooks and documents, and the published grammars that must accept them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.parse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
import yaml

from tests.dashboards.contract import ROOT
from tests.dashboards.expressions import BOARDS, GRAFANA, of_boards, of_rules
from tests.real.programs import REQUIRE
from tools.grammars.build import built
from tools.node import NoNode, find

FENCE = re.compile(r"^ *```(traceql|logql|promql)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
EXPLORE = re.compile(r"/explore\?[^\"'\s]*panes=([^\"'\s&]+)")
PLACEHOLDER = re.compile(r"\$?\$\{[^}]*\}")
FOLDERS = ("dashboards", "docs", "collector-config")


@dataclass(frozen=True)
class Query:
    """One query where it stands."""

    language: str
    text: str
    place: str


def all_queries() -> list[Query]:
    """All of them."""
    return [*_fenced(), *_links(), *_panels(), *_promql()]


def _fenced() -> Iterator[Query]:
    documents = [ROOT / "README.md", *(path for name in FOLDERS for path in sorted((ROOT / name).rglob("*.md")))]
    for path in documents:
        for language, text in FENCE.findall(path.read_text(encoding="utf-8")):
            yield Query(language, text.strip(), str(path.relative_to(ROOT)))


def _links() -> Iterator[Query]:
    """Queries in addresses of Grafana's Explore, with something in place of what Grafana fills in."""
    provisioned = sorted((GRAFANA / "provisioning").rglob("*.yaml"))
    for path in (*BOARDS, *provisioned):
        for panes in EXPLORE.findall(path.read_text(encoding="utf-8")):
            content = json.loads(urllib.parse.unquote(PLACEHOLDER.sub("x", panes)))
            for pane in content.values():
                for query in pane["queries"]:
                    yield Query(query["queryType"], query["query"], f"a link in {path.name}")


def _panels() -> Iterator[Query]:
    for path in BOARDS:
        for panel in json.loads(path.read_text(encoding="utf-8"))["panels"]:
            for target in panel["targets"]:
                if target.get("queryType") == "traceql":
                    text = re.sub(r"\$\w+", ".*", target["query"])
                    yield Query("traceql", text, f"{path.name}: {panel['title']}")


def _promql() -> Iterator[Query]:
    for expression in (*of_boards(), *of_rules()):
        yield Query("promql", expression.filled(), str(expression))
    text = (GRAFANA / "provisioning" / "datasources" / "counterfoil.yaml").read_text(encoding="utf-8")
    for source in yaml.safe_load(text)["datasources"]:
        for query in source["jsonData"].get("tracesToMetrics", {}).get("queries", ()):
            yield Query("promql", query["query"].replace("$$__tags", 'a="b"'), f"data source {source['uid']}")


def refused(queries: Sequence[Query]) -> list[list[str]]:
    """For each query the places that its grammar doesn't accept. Skips, or in CI fails, without the grammars."""
    checker = built()
    if checker is None:
        try:
            find()
            why = "the grammars are not installed; `python -m tools.grammars.build` installs them"
        except NoNode as missing:
            why = str(missing)
        if "grammars" in os.environ.get(REQUIRE, "").split(","):
            pytest.fail(f"{REQUIRE} names grammars, but {why}", pytrace=False)
        pytest.skip(f"left out: {why}")
    asked = json.dumps([[query.language, query.text] for query in queries])
    done = subprocess.run([find(), checker], input=asked, capture_output=True, text=True, check=True)
    places: list[list[str]] = json.loads(done.stdout)
    return places
