"""From an agent that charged twice to the person who is paged, and to the incident that a person closes.

Everything is real: the demo's agent and provider, the processor, the collector, Prometheus with the project's rules,
Alertmanager, and a webhook that a pager would have.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.real.webhook import webhook
from tools.observe.stack import project_rules, running

COUNTERFOIL = (sys.executable, "-m", "counterfoil")


def command(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [*COUNTERFOIL, *words], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def worker(environment: dict[str, str]) -> Iterator[None]:
    """`counterfoil reconcile`, until the block is left."""
    process = subprocess.Popen([*COUNTERFOIL, "reconcile"], env=environment, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def told(alert: dict[str, Any], name: str, status: str, **labels: str) -> bool:
    has = alert["labels"]
    return has["alertname"] == name and alert["status"] == status and all(has.get(k) == v for k, v in labels.items())


def test_a_double_charge_pages_somebody_and_closes_when_a_person_settled_it(
    observability: dict[str, Path], tmp_path: Path
) -> None:
    with webhook() as pager, running(tmp_path, rules=project_rules(), webhook=pager.url) as stack:
        environment = os.environ | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": stack.otlp,
            "OTEL_METRIC_EXPORT_INTERVAL": "1000",
            "COUNTERFOIL_LEDGER": f"sqlite:///{tmp_path}/ledger.db",
        }
        command(
            environment,
            *("demo", "--out", str(tmp_path / "demo.jsonl"), "--ledger", environment["COUNTERFOIL_LEDGER"]),
        )

        seen = pager.wait(
            lambda a: told(a, "CounterfoilSevereVerdictSeen", "firing", counterfoil_verdict="duplicate_effect"),
            "a duplicate was seen",
        )
        assert seen["labels"]["gen_ai_tool_name"] == "charge_card"
        assert seen["labels"]["severity"] == "page"
        assert seen["annotations"]["runbook_url"].endswith("CounterfoilSevereVerdictSeen.md")

        incident = {"job": "counterfoil-reconcile", "counterfoil_verdict": "duplicate_effect"}
        with worker(environment):
            pager.wait(lambda a: told(a, "CounterfoilIncidentOpen", "firing", **incident), "an incident is open")
            waiting = json.loads(command(environment, "list", "--open", "--verdict", "duplicate_effect", "--json"))
            assert waiting["operations"]
            for operation in waiting["operations"]:
                command(environment, "resolve", operation, "applied", "--by", "on call", "--why", "refunded the second")
            pager.wait(lambda a: told(a, "CounterfoilIncidentOpen", "resolved", **incident), "the incident is closed")
