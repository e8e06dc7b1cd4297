"""Grafana's and Prometheus' own grammars accept every query that we ship or write down."""

from __future__ import annotations

import pytest

from tests.dashboards.grammars import Query, all_queries, refused

pytestmark = pytest.mark.real


def test_every_query_is_one_by_its_published_grammar() -> None:
    queries = all_queries()

    wrong = [f"{query.place}: {places}" for query, places in zip(queries, refused(queries), strict=True) if places]

    assert {query.language for query in queries} == {"traceql", "logql", "promql"}
    assert not wrong


def test_a_broken_query_is_noticed() -> None:
    broken = [
        Query("traceql", '{ span.counterfoil.verdict == "x" }', "here"),
        Query("logql", '{service_name="x"', "here"),
        Query("promql", "sum(rate(x_total[5m])", "here"),
    ]

    assert all(refused(broken))
