"""The rule files, by their path below `dashboards/prometheus`."""

from __future__ import annotations

from dashboards.src.prometheus import budget, judging, severe
from dashboards.src.prometheus.objectives import pyrra, sloth
from dashboards.src.prometheus.rule import Alert, Group
from dashboards.src.text import as_yaml

GROUPS: tuple[Group, ...] = (budget.RECORDED, severe.GROUP, budget.ALERTS, judging.GROUP)

ALERTS: tuple[Alert, ...] = tuple(rule for group in GROUPS for rule in group.rules if isinstance(rule, Alert))


def files() -> dict[str, str]:
    """Text of every generated file."""
    return {
        "counterfoil.rules.yml": as_yaml({"groups": [group.spelled() for group in GROUPS]}),
        "sloth.yml": as_yaml(sloth(), "An example for people who have Sloth. It knows no minimum of operations."),
        "pyrra.yml": as_yaml(pyrra(), "An example for people who have Pyrra. It knows no minimum of operations."),
    }
