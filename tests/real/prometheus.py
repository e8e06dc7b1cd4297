"""Prometheus' HTTP API, as far as tests ask it."""

from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

ARRIVES_WITHIN_S = 60.0


def query(address: str, expression: str) -> Any:
    """The samples of an instant query, now. Raises for an expression that Prometheus refuses."""
    return _get(address, "query", query=expression)["result"]


def loaded(address: str) -> list[dict[str, Any]]:
    """The rules that Prometheus has loaded, each with its `name`, and `health` once it was evaluated."""
    return [rule for group in _get(address, "rules")["groups"] for rule in group["rules"]]


def exemplars(address: str, selector: str, since_s: float = 3600.0) -> list[dict[str, Any]]:
    """The exemplars of the series that a selector names, of the last hour, each with its series' labels."""
    now = time.time()
    found = _get(address, "query_exemplars", query=selector, start=now - since_s, end=now + 60)
    return [{"series": each["seriesLabels"], **exemplar} for each in found for exemplar in each["exemplars"]]


def until(ask: Callable[[], Any], what: str) -> Any:
    """Ask until the answer is true, and return it. Fails after a minute."""
    end = time.monotonic() + ARRIVES_WITHIN_S
    while not (answer := ask()):
        assert time.monotonic() < end, f"never seen: {what}"
        time.sleep(0.1)
    return answer


def _get(address: str, endpoint: str, **parameters: Any) -> Any:
    url = f"{address}/api/v1/{endpoint}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)["data"]
