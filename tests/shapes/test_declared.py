"""Declarative configuration: `OTEL_CONFIG_FILE` sets the SDK up, and its YAML holds our options."""

from __future__ import annotations

from pathlib import Path

from tests.shapes.application import APPS, Application
from tests.shapes.told import assert_told

FILE = APPS / "otel.yaml"


def test_a_file_that_names_us(application: Application) -> None:
    application.run("opentelemetry-instrument", "python", "plain.py", OTEL_CONFIG_FILE=str(FILE))
    assert_told(application.received, 1)


def test_to_be_named_with_options_is_enough(application: Application) -> None:
    """Two doors open late: none of them by the variable."""
    application.run(
        "opentelemetry-instrument", "python", "plain.py", OTEL_CONFIG_FILE=str(FILE), COUNTERFOIL_ENABLED=""
    )
    assert_told(application.received, 1)


def test_the_options_are_what_counts(application: Application) -> None:
    """They stand above the environment: these say nothing but events."""
    file = application.folder / "otel.yaml"
    file.write_text(FILE.read_text().replace("settle_after: 2m", "emit: [events]"))
    application.run(
        "opentelemetry-instrument", "python", "plain.py", OTEL_CONFIG_FILE=str(file), COUNTERFOIL_EMIT="spans,metrics"
    )
    received = application.received
    assert len(received.operations()) == len(received.events()) == 1
    assert received.spans("counterfoil") == []
    assert received.total("counterfoil.verdicts") == 0


def test_a_file_that_switches_us_off(application: Application, tmp_path: Path) -> None:
    """``enabled: false`` keeps this door shut; the others open by the variable."""
    file = tmp_path / "otel.yaml"
    file.write_text(FILE.read_text().replace("settle_after: 2m", "enabled: false"))
    run = ("opentelemetry-instrument", "python", "plain.py")
    application.run(*run, OTEL_CONFIG_FILE=str(file), COUNTERFOIL_ENABLED="")
    assert len(application.received.operations()) == 1
    assert application.received.spans("counterfoil") == []
