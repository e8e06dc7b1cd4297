"""An agent whose traces are sampled away: nothing of them is exported, and every operation is told all the same."""

import pytest

from tests.shapes.application import Application

CALLS = 400
RECORDED = {"COUNTERFOIL_RECORD_ALL": "true"}
LOGFIRE = {"LOGFIRE_SEND_TO_LOGFIRE": "false", "LOGFIRE_CONSOLE": "false", "LOGFIRE_TRACE_SAMPLE_RATE": "0"}


@pytest.mark.parametrize("sampler", ["traceidratio", "parentbased_traceidratio", "always_off"])
def test_sampled_at_nothing(application: Application, sampler: str) -> None:
    environment = {"OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": "0"}
    application.run("opentelemetry-instrument", "python", "plain.py", **environment, **RECORDED)
    assert_told_of_nothing_exported(application)


def test_sampled_at_nothing_by_logfire(application: Application) -> None:
    application.run("python", "with_logfire.py", **LOGFIRE, **RECORDED)
    assert_told_of_nothing_exported(application)


def test_unless_it_is_asked_for_what_is_dropped_is_not_seen(application: Application) -> None:
    application.run("opentelemetry-instrument", "python", "plain.py", OTEL_TRACES_SAMPLER="always_off")
    assert application.received.spans() == []
    assert application.received.verdicts() == application.received.events() == {}


def assert_told_of_nothing_exported(application: Application) -> None:
    received = application.received
    assert len(received.operations()) == 0
    assert set(received.verdicts()) == set(received.events())
    for said in (received.verdicts(), received.events()):
        ((verdict,),) = said.values()
        assert verdict["counterfoil.verdict"] == "verified_applied"
    assert received.total("counterfoil.verdicts") == 1


@pytest.mark.parametrize("sampler", ["traceidratio", "parentbased_traceidratio"])
def test_at_one_in_a_hundred_every_operation_is_told(application: Application, sampler: str) -> None:
    """About four of the 400 calls are exported. All are told, by span, by metric and by event."""
    environment = {"OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": "0.01"}
    command = ("opentelemetry-instrument", "python", "many.py", str(CALLS))
    application.run(*command, **environment, **RECORDED)
    received = application.received
    assert len(received.operations()) < CALLS / 10
    for said in (received.verdicts(), received.events()):
        assert len(said) == CALLS
        assert {told["counterfoil.verdict"] for tellings in said.values() for told in tellings} == {"verified_applied"}
        assert all(len(tellings) == 1 for tellings in said.values())
    assert received.total("counterfoil.verdicts") == received.total("counterfoil.attempts") == CALLS
