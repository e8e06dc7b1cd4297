"""Every PromQL expression of dashboards and rules, with its place, and what it asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser
import yaml

from tests.dashboards.contract import ROOT

GRAFANA = ROOT / "dashboards" / "grafana"
PROMETHEUS = ROOT / "dashboards" / "prometheus"
BOARDS = sorted(GRAFANA.glob("*.json"))

MACROS = {"$__rate_interval": "4m", "$__interval": "1m", "$__range": "24h"}
VARIABLE = re.compile(r"\$(\w+)")


@dataclass(frozen=True)
class Expression:
    """One expression where it stands."""

    file: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.place}"

    def filled(self) -> str:
        """With Grafana's variables as they are when everything is chosen."""
        text = self.text
        for macro, value in MACROS.items():
            text = text.replace(macro, value)
        return VARIABLE.sub(".*", text)


@dataclass(frozen=True)
class Selector:
    """A series that an expression selects, and by what."""

    name: str
    matchers: tuple[tuple[str, str, str], ...]


def board(path: Any) -> dict[str, Any]:
    """A dashboard's JSON."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def of_boards() -> Iterator[Expression]:
    """Panels, variables and annotations."""
    for path in BOARDS:
        content = board(path)
        for panel in content["panels"]:
            for target in panel["targets"]:
                if "expr" in target:
                    yield Expression(path.name, f"{panel['title']}/{target['refId']}", target["expr"])
        for variable in content["templating"]["list"]:
            if variable["type"] == "query":
                asked = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"])
                assert asked, variable["query"]
                yield Expression(path.name, f"variable {variable['name']}", f"count by ({asked[2]}) ({asked[1]})")
        for annotation in content["annotations"]["list"]:
            yield Expression(path.name, f"annotation {annotation['name']}", annotation["expr"])


def of_rules() -> Iterator[Expression]:
    """Rules for Prometheus, the same as Grafana manages them, and the two examples."""
    for path in (PROMETHEUS / "counterfoil.rules.yml",):
        for group in yaml.safe_load(path.read_text())["groups"]:
            for rule in group["rules"]:
                yield Expression(path.name, rule.get("alert") or rule["record"], rule["expr"])
    managed = yaml.safe_load((GRAFANA / "provisioning" / "alerting" / "counterfoil.yaml").read_text())
    for rule in managed["groups"][0]["rules"]:
        yield Expression("alerting/counterfoil.yaml", rule["title"], rule["data"][0]["model"]["expr"])
    events = yaml.safe_load((PROMETHEUS / "sloth.yml").read_text())["slos"][0]["sli"]["events"]
    for name, text in events.items():
        yield Expression("sloth.yml", name, text.replace("{{.window}}", "1h"))
    ratio = yaml.safe_load((PROMETHEUS / "pyrra.yml").read_text())["spec"]["indicator"]["ratio"]
    for name in ("errors", "total"):
        yield Expression("pyrra.yml", name, ratio[name]["metric"])


def parsed(expression: Expression) -> Any:
    """Its tree. Raises with the reason when it is no PromQL."""
    return promql_parser.parse(expression.filled())


def selectors(expression: Expression) -> list[Selector]:
    """Every series it selects."""
    found: list[Selector] = []

    def note(node: Any) -> bool:
        node = node.vector_selector if isinstance(node, promql_parser.MatrixSelector) else node
        if isinstance(node, promql_parser.VectorSelector):
            matchers = tuple((each.name, str(each.op), each.value) for each in node.matchers.matchers)
            found.append(Selector(node.name, matchers))
        return True

    promql_parser.walk(parsed(expression), note)
    return found


def grouped_by(expression: Expression) -> set[str]:
    """Every label that it groups or matches by."""
    found: set[str] = set()

    def note(node: Any) -> bool:
        modifier = getattr(node, "modifier", None)
        if isinstance(node, promql_parser.AggregateExpr) and modifier is not None:
            found.update(modifier.labels)
        return True

    promql_parser.walk(parsed(expression), note)
    return found
