"""A day on a Prometheus, and how panels ask for it."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from tools.panels.history import STEP_S


@dataclass(frozen=True)
class Day:
    """A Prometheus that holds the day, and when it ended."""

    address: str
    end: int

    def ask(self, text: str, *, at_the_end: bool) -> list[Any]:
        """What a panel gets: one moment, or the whole day."""
        if at_the_end:
            return self._get("query", query=text, time=self.end)
        return self._get("query_range", query=text, start=self.end - 86400, end=self.end, step=STEP_S)

    def _get(self, endpoint: str, **parameters: Any) -> list[Any]:
        url = f"{self.address}/api/v1/{endpoint}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            result: list[Any] = json.load(answer)["data"]["result"]
        return result
