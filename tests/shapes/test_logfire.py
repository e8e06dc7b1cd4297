"""Applications that call `logfire.configure()`. Logfire exports to the collector that the variables name."""

import pytest

from tests.shapes.application import Application
from tests.shapes.told import assert_told


@pytest.fixture
def application(application: Application) -> Application:
    application.variables.update(LOGFIRE_SEND_TO_LOGFIRE="false", LOGFIRE_CONSOLE="false")
    return application


def test_logfire(application: Application) -> None:
    application.run("python", "with_logfire.py")
    assert_told(application.received, 1)


def test_logfire_under_opentelemetry_instrument(application: Application) -> None:
    """Two pipelines live side by side; the call goes through Logfire's or OpenTelemetry's, never through both."""
    application.run("opentelemetry-instrument", "python", "with_logfire.py")
    assert_told(application.received, 1)


def test_a_second_configuration_of_logfire(application: Application) -> None:
    application.run("python", "logfire_twice.py")
    assert_told(application.received, 2)


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_a_processor_that_the_application_hands_to_logfire(application: Application, enabled: str) -> None:
    """Where one is attached as well, the operation is told once all the same."""
    application.run("python", "logfire_inside.py", COUNTERFOIL_ENABLED=enabled, COUNTERFOIL_SETTLE_AFTER="0")
    assert_told(application.received, 1)
