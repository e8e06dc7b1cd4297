"""Cohorts: processes whose telemetry travels alike. Their environment makes the difference, as users set it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from prove.plan import ASYNC, READ_LAG_S, RESOURCES, SKEW_S, Plan

SKEW: Mapping[str, float] = {"ahead": SKEW_S, "behind": -SKEW_S}
"""How far the clocks of these agents are off, in seconds."""

CAPTURED = {
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST": "idempotency-key",
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_RESPONSE": "idempotent-replayed",
    "OTEL_SEMCONV_STABILITY_OPT_IN": "http",
}

PARTICULAR: Mapping[str, Mapping[str, str]] = {
    "content_off": {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "false"},
    "sampled": {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"},
    "overflow": {
        "OTEL_BSP_MAX_QUEUE_SIZE": "32",
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "16",
        "OTEL_BSP_SCHEDULE_DELAY": "400",
    },
    "truncated": {"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "48"},
    "down": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "0.2"},
}

TOML = """
emit = "spans"
settle_after = "2s"
max_operations = 200000
"""

TOOL = """
[tools.{tool}]
side_effect = true
operation_id = "reference"
settle_after = {lag}
"""
RECEIPT = 'effect_ref = "result:id"\n'
"""Only of tools whose provider names what it has made. Where it names a promise, the tool says so itself."""


SETTINGS = "settings.toml"
SKEWED_SETTINGS = "settings-skewed.toml"


def settings(folder: Path) -> None:
    """The settings of all agents: which argument names the operation, which field of a result is a receipt, how far the
    providers lag. Agents whose clocks are off have settings of their own, which allow for that."""
    for name, lag in ((SETTINGS, READ_LAG_S), (SKEWED_SETTINGS, Plan(seed=0, number=0, telemetry="behind").read_lag_s)):
        tools = ""
        for resource in RESOURCES:
            receipt = "" if resource in ASYNC else RECEIPT
            tools += TOOL.format(tool=f"make_{resource}", lag=lag) + receipt
            tools += TOOL.format(tool=f"remote_{resource}", lag=lag) + receipt
        (folder / name).write_text(f"{TOML}{tools}\n[tools.find]\nside_effect = false\n", encoding="utf-8")


def ledger(folder: Path) -> str:
    """The address of the ledger that processes of a run share."""
    return f"sqlite:///{folder}/ledger.db"


def environment(cohort: str, name: str, folder: Path, receiver: int) -> dict[str, str]:
    """The variables of one process. ``name`` is its own, ``receiver`` the receiver's port."""
    made = {
        "COUNTERFOIL_ENABLED": "true",
        "COUNTERFOIL_CONFIG": str(folder / (SKEWED_SETTINGS if cohort in SKEW else SETTINGS)),
        "COUNTERFOIL_INSTRUMENT_PYDANTIC_AI": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{receiver}/{name}",
        "OTEL_SERVICE_NAME": "prove",
        "OTEL_RESOURCE_ATTRIBUTES": f"service.instance.id={name}",
        **CAPTURED,
        **PARTICULAR.get(cohort, {}),
    }
    if cohort in ("shared", "down"):
        made["COUNTERFOIL_LEDGER"] = ledger(folder)
    return made
