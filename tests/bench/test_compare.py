"""Ratios beside committed ones: what counts as worse, what is measured again, and what a bench has to print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench.charts import alerts, by_size, drawn, growth, hot_path
from bench.compare import COMMITTED, measured, told, worse
from bench.page import BEGIN, END, placed, sections
from bench.ratios import LEFT_OUT, PATTERNS, NotPrintedError, ratios

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
HISTORY = "growth from 1,000 to 10,000: n^{} and n^{}"


def test_a_quarter_more_is_no_regression_and_a_little_over_that_is() -> None:
    committed = {"a": 1.0, "b": 2.0, "c": 0.0}
    assert worse(committed, {"a": 1.25, "b": 1.0, "c": 9.0}) == {}
    assert worse(committed, {"a": 1.26, "b": 2.6}) == {"a": 1.26, "b": 1.3}
    lines = list(told(committed, {"a": 1.26, "d": 1.0}))
    assert next(line for line in lines if line.startswith("a ")).endswith("worse by 26%")
    assert next(line for line in lines if line.startswith("b ")).endswith("left out")
    assert next(line for line in lines if line.startswith("d ")).endswith("new")
    assert lines[-1] == "1 of 2 ratios are worse by over 25%"


def test_what_seems_worse_is_measured_once_more_and_the_better_run_counts() -> None:
    committed = {"history: growth of a list": 1.0, "history: growth of stored JSON": 1.0}
    runs = iter((HISTORY.format("1.60", "1.10"), HISTORY.format("1.05", "1.20")))
    assert measured(["history"], committed, lambda bench: next(runs)) == {
        "history: growth of a list": 1.05,
        "history: growth of stored JSON": 1.10,
    }


def test_what_is_no_worse_is_measured_once() -> None:
    runs = iter((HISTORY.format("1.00", "1.00"),))
    assert not worse({"history: growth of a list": 1.0}, measured(["history"], {}, lambda bench: next(runs)))


def test_a_bench_that_prints_other_words_is_an_error_and_a_missing_tool_is_not() -> None:
    with pytest.raises(NotPrintedError, match="growth of a list"):
        ratios("history", "nothing of the kind")
    printed = "audit to DuckDB at 100,000 lines: 3.10\naudit, a line of 1,000,000 to one of 100,000: 1.02\n"
    with pytest.raises(NotPrintedError, match="audit to jq"):
        ratios("others", printed)
    assert ratios("others", f"{LEFT_OUT}, it is not on PATH\n{printed}") == {
        "others: audit to DuckDB": 3.10,
        "others: growth of an audit": 1.02,
    }


def _sections() -> dict[str, str]:
    parts = re.split(r"(?m)^## ", PAGE.read_text(encoding="utf-8"))[1:]
    named = ((re.search(r"`python -m bench\.(\w+)", part), part) for part in parts)
    return {found[1]: part for found, part in named if found is not None}


def test_the_committed_page_prints_every_ratio_that_is_known_of_its_benches() -> None:
    sections = _sections()
    assert {"start_up", "processor"} <= set(sections)
    for bench in set(PATTERNS) & set(sections):
        assert len(ratios(bench, sections[bench])) >= len(PATTERNS[bench])


def test_charts_show_every_row_that_was_printed() -> None:
    bars = hot_path(_sections()["processor"])
    assert [len(axes.patches) for axes in bars.axes] == [4, 4]
    rows = "     1,000    audit     0.413      39    412.69\n    10,000       jq     0.110       5     11.00\n"
    lines = growth(rows)
    assert [line.get_label() for line in lines.axes[0].lines] == ["audit", "jq"]


def test_the_core_has_a_point_for_each_size_and_an_alert_a_bar_for_each_set_up() -> None:
    rows = (
        "     1,000          0.91        106.71        184.87          4.34\n    10,000  1.80  118.25  166.12  4.68\n"
    )
    assert [len(axes.lines[0].get_xdata()) for axes in by_size(rows).axes] == [2, 2, 2, 2]  # type: ignore[arg-type]
    said = "settles 0 s, export of metrics 1 s, evaluation of rules 1 s: p50 2.2, from 1.3 to 2.3 in 3 runs\n"
    assert drawn("alert", "left out: prometheus is not built", PAGE.parent) == ""
    assert [bar.get_width() for bar in alerts(said).axes[0].patches] == [2.2]  # type: ignore[attr-defined]


def test_a_page_keeps_what_is_written_by_hand_and_what_other_benches_put_there() -> None:
    page = f"# Title\n\n{BEGIN}\n{END}\n\nNot met: much.\n"
    for name, text in (("two", "## Two\n"), ("one", "## 1\n"), ("one", "## One\n")):
        page = placed(page, {name: text}, ("one", "two"))
    assert sections(page) == {"one": "## One\n", "two": "## Two\n"}
    assert page.index("One") < page.index("Two")
    assert page.startswith("# Title\n")
    assert page.endswith("\nNot met: much.\n")
    with pytest.raises(ValueError, match="no place for figures"):
        placed("# Title", {}, ())


def test_the_committed_page_has_its_marks() -> None:
    assert {"start_up", "processor"} <= set(sections(PAGE.read_text(encoding="utf-8")))


def test_committed_ratios_are_of_benches_that_are_known() -> None:
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    known = {f"{bench}: {name}" for bench, found in PATTERNS.items() for names in found.values() for name in names}
    assert set(committed) <= known
    assert all(ratio > 0 for ratio in committed.values())
