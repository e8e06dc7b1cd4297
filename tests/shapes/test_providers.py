"""Whoever built the tracer provider, and whether or not it is the global one: the variable is enough."""

from tests.shapes.application import Application
from tests.shapes.told import assert_told


def test_opentelemetry_instrument_and_a_plain_application(application: Application) -> None:
    application.run("opentelemetry-instrument", "python", "plain.py")
    assert_told(application.received, 1)


def test_a_global_provider_made_by_hand(application: Application) -> None:
    application.run("python", "by_hand.py")
    assert_told(application.received, 1)


def test_a_provider_made_by_hand_that_is_not_global(application: Application) -> None:
    application.run("python", "not_global.py")
    assert_told(application.received, 1)


def test_an_isolated_interpreter(application: Application) -> None:
    """``-I`` ignores PYTHONPATH and the user's site-packages, and keeps the program's own folder out."""
    application.run("python", "-I", "isolated.py")
    assert_told(application.received, 1)


def test_both_opentelemetry_instrument_and_a_provider_made_by_hand(application: Application) -> None:
    """The second provider stays without effect on the globals, but it is a pipeline like the first."""
    application.run("opentelemetry-instrument", "python", "not_global.py")
    assert_told(application.received, 1)


def test_without_the_variable_nothing_is_said(application: Application) -> None:
    application.run("python", "by_hand.py", COUNTERFOIL_ENABLED="false")
    assert len(application.received.operations()) == 1
    assert application.received.spans("counterfoil") == []
    assert application.received.events() == {}
