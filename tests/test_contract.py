"""`telemetry.yaml` is the contract: code, the words of a judgement, documents and configuration agree with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from counterfoil import instruments, names
from counterfoil.explain import ROLES
from counterfoil.facts import ADVISED, UNADVISED, Reported, Transport
from counterfoil.histories.history import HistoryVerdict, State
from counterfoil.histories.report import Decision, RepairKind
from counterfoil.reading.consults import Result
from counterfoil.records import KINDS
from counterfoil.verdicts import WORST_FIRST, Finding, Outcome, Reason, Severity

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "counterfoil"
CONTRACT: dict[str, Any] = yaml.safe_load((ROOT / "telemetry.yaml").read_text(encoding="utf-8"))
ATTRIBUTES: dict[str, dict[str, Any]] = CONTRACT["attributes"]
MENTIONING = ("README.md", "docs", "dashboards", "collector-config", "alerts", "rules", "prove")
TEXTS = {".md", ".yaml", ".yml", ".json", ".toml", ".txt", ".sql"}

NAME = re.compile(r"(?<![\w./-])counterfoil(?:\.[a-z_]+)+(?![\w(/])")
SETTING = re.compile(r"\bCOUNTERFOIL_[A-Z_]+\b")
PROMETHEUS = re.compile(r"(?<![\w./-])counterfoil_[a-z_]+\b")
DEFINED = re.compile(r"\b(?:record|name): *[\"']?(?:\w+:)?(counterfoil[._][\w.]+)")
UNITS = {"s": "_seconds"}


# ------------------------------------------------------------------- code and contract


def test_code_and_contract_name_the_same_attributes() -> None:
    constants = {
        value for name, value in vars(names).items() if name.isupper() and isinstance(value, str) and "." in value
    }
    spans_and_events = {names.VERDICT_SPAN, names.FACT_EVENT}
    assert constants - spans_and_events == ATTRIBUTES.keys()


def test_what_an_application_may_set_is_marked_as_read() -> None:
    assert {name for name, attribute in ATTRIBUTES.items() if attribute.get("read")} == set(names.READ)


def test_the_verdict_is_said_with_the_same_attributes_as_span_and_as_event() -> None:
    said = list(names.VERDICT_ATTRIBUTES)
    assert CONTRACT["spans"][names.VERDICT_SPAN]["attributes"] == said
    assert CONTRACT["events"][names.VERDICT_EVENT]["attributes"] == said
    assert CONTRACT["events"][names.FACT_EVENT]["attributes"] == list(names.FACT_ATTRIBUTES)
    assert CONTRACT["spans"][names.VERDICT_SPAN]["links"]["attributes"] == [names.ROLE]
    assert CONTRACT["spans"][names.HISTORY_SPAN]["attributes"] == list(names.HISTORY_ATTRIBUTES)
    assert CONTRACT["events"][names.HISTORY_EVENT]["attributes"] == list(names.HISTORY_ATTRIBUTES)
    assert CONTRACT["events"][names.REPAIR_EVENT]["attributes"] == list(names.REPAIR_ATTRIBUTES)
    assert CONTRACT["events"][names.CONSULT_EVENT]["attributes"] == list(names.CONSULT_ATTRIBUTES)


def test_metrics_agree_in_every_particular() -> None:
    written = CONTRACT["metrics"]
    assert {metric.name for metric in instruments.METRICS} == written.keys()
    for metric in instruments.METRICS:
        said = written[metric.name]
        assert (metric.kind, metric.unit, metric.description) == (said["kind"], said["unit"], said["description"])
        assert list(metric.attributes) == said["attributes"]
        assert list(metric.buckets) == said.get("buckets", [])


def test_metrics_follow_the_naming_rules() -> None:
    for metric in instruments.METRICS:
        assert metric.unit != "1", f"{metric.name}: name what is counted, as in {{operation}}"
        assert not metric.name.endswith("_total")
        assert names.OPERATION_ID not in metric.attributes, f"{metric.name}: an operation id is for exemplars"


def test_settings_agree() -> None:
    assert CONTRACT["settings"].keys() == set(names.SETTINGS)
    assert CONTRACT["tool_settings"].keys() == set(names.TOOL_SETTINGS)


def test_every_attribute_that_is_used_is_described() -> None:
    groups = (*CONTRACT["spans"].values(), *CONTRACT["events"].values(), *CONTRACT["metrics"].values())
    used = {name for group in groups for name in group["attributes"]} | {names.ROLE} | set(names.READ)
    assert used == ATTRIBUTES.keys()
    assert all(attribute["description"] and attribute["type"] for attribute in ATTRIBUTES.values())


@pytest.mark.parametrize(
    ("attribute", "words"),
    [
        (names.VERDICT, WORST_FIRST),
        (names.OUTCOME, Outcome),
        (names.FINDINGS, Finding),
        (names.FINDING, Finding),
        (names.REASON, Reason),
        (names.SEVERITY, Severity),
        (names.TRANSPORT, Transport),
        (names.REPORTED, Reported),
        (names.ROLE, (*ROLES.values(), "probe", "unreadable")),
        (names.FACT_KIND, KINDS),
        (names.HISTORY_VERDICT, HistoryVerdict),
        (names.HISTORY_FINDINGS, set(HistoryVerdict) - {HistoryVerdict.READY}),
        (names.HISTORY_STATE, State),
        (names.HISTORY_DECISION, Decision),
        (names.HISTORY_REPAIR, RepairKind),
        (names.CONSULT_RESULT, Result),
        (names.ADVICE, (ADVISED, UNADVISED)),
    ],
)
def test_the_words_of_a_judgement_are_those_of_the_contract(attribute: str, words: Any) -> None:
    assert set(ATTRIBUTES[attribute]["values"]) == {str(word) for word in words}


def test_no_word_is_one_that_a_scrubber_takes_for_a_secret() -> None:
    """Logfire blanks values (not only names) that contain these."""
    suspicious = re.compile("auth|session|password|secret|credential|cookie|api_?key|private_?key")
    said = {*names.VERDICT_ATTRIBUTES, *names.HISTORY_ATTRIBUTES, *names.REPAIR_ATTRIBUTES} - {names.SEVERITY}
    for name in said:
        words = [name, *ATTRIBUTES[name].get("values", ())]
        assert not [word for word in words if suspicious.search(word)]


# ---------------------------------------------------------------------- nowhere else


def spelled_out(text: str) -> Iterator[str]:
    """String constants of a module that spell a name of ours, docstrings left out."""
    tree = ast.parse(text)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if node.body and isinstance(node.body[0], ast.Expr)
    }
    documentation |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            found = set(NAME.findall(node.value)) - CONTRACT["message_metadata"].keys()
            yield from (name for name in found if name in known_names() or not is_module(name))


def is_module(name: str) -> bool:
    """A dotted path in our own package, a public name of the root, or the file that Python reads at start-up."""
    first = name.removeprefix("counterfoil.").partition(".")[0]
    if first == "pth":
        return True
    public = re.findall(r'"(\w+)"', (SOURCES / "__init__.py").read_text(encoding="utf-8"))
    return first in public or (SOURCES / first).is_dir() or (SOURCES / f"{first}.py").is_file()


def test_only_one_module_spells_the_names() -> None:
    found = {
        f"{path.relative_to(SOURCES)}: {name}"
        for path in SOURCES.rglob("*.py")
        if path.name not in ("names.py", "instruments.py")
        for name in spelled_out(path.read_text(encoding="utf-8"))
    }
    assert not found, "import these from counterfoil.names"


def test_a_name_spelled_out_is_noticed() -> None:
    assert list(spelled_out('"""counterfoil.verdict"""\nx = "counterfoil.verdict"')) == ["counterfoil.verdict"]
    assert list(spelled_out('x = "counterfoil.no_such_thing"')) == ["counterfoil.no_such_thing"]
    assert not list(spelled_out('x = "counterfoil.judge"'))


# --------------------------------------------------------------- documents and configuration


def texts() -> list[Path]:
    places = [ROOT / name for name in MENTIONING]
    files = [place for place in places if place.is_file()]
    files += [path for place in places if place.is_dir() for path in place.rglob("*") if path.suffix in TEXTS]
    return sorted(path for path in files if "node_modules" not in path.parts)


def known_names() -> set[str]:
    return {*ATTRIBUTES, *CONTRACT["metrics"], *CONTRACT["events"], *CONTRACT["message_metadata"]}


def prometheus_names() -> set[str]:
    """The names as Prometheus has them: dots become underscores, units and `_total` are added."""
    known = {name.replace(".", "_") for name in known_names()}
    for metric in instruments.METRICS:
        base = metric.name.replace(".", "_") + UNITS.get(metric.unit, "")
        tails = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(metric.kind, ())
        known |= {base, *(base + tail for tail in tails)}
    return known


def defined_by_rules() -> set[str]:
    """Groups of rules, and series that a rule records: they are made there and go by names of their own."""
    return {name for path in texts() for name in DEFINED.findall(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("path", texts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_and_configuration_mention_no_other_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    ours = {name for name in NAME.findall(text) if not is_module(name)}
    unknown = {
        name for name in ours if not any(known == name or known.startswith(name + ".") for known in known_names())
    }
    unknown |= set(PROMETHEUS.findall(text)) - prometheus_names()
    unknown -= defined_by_rules()
    unknown |= set(SETTING.findall(text)) - CONTRACT["settings"].keys()
    assert not unknown, "not in telemetry.yaml"
