"""`telemetry.yaml` as Prometheus sees it: the series, their labels, and the values that those may have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CONTRACT: dict[str, Any] = yaml.safe_load((ROOT / "telemetry.yaml").read_text(encoding="utf-8"))
ATTRIBUTES: Mapping[str, Mapping[str, Any]] = CONTRACT["attributes"]

TARGET = {"job", "instance"}
"""Labels that say where a series comes from."""

ENDINGS = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",), "updowncounter": ("",)}


def label(attribute: str) -> str:
    """An attribute's name as a label."""
    return attribute.replace(".", "_")


def _series() -> dict[str, dict[str, set[str]]]:
    """For each series its labels, and for each label the values that the contract names; none named: any."""
    found: dict[str, dict[str, set[str]]] = {}
    for name, metric in CONTRACT["metrics"].items():
        values = {
            label(each): set(metric.get("values", {}).get(each, ATTRIBUTES[each].get("values", ())))
            for each in metric["attributes"]
        }
        unit = "_seconds" if metric["unit"] == "s" else ""
        for ending in ENDINGS[metric["kind"]]:
            bucket: dict[str, set[str]] = {"le": set()} if ending == "_bucket" else {}
            found[label(name) + unit + ending] = {**values, **bucket}
    return found


SERIES = _series()
