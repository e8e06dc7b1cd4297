"""Pydantic AI, whose instrumentation is off: a variable turns it on, and undoes nobody's choice."""

from __future__ import annotations

import pytest

from tests.real.otlp import attributes
from tests.shapes.application import Application
from tests.shapes.told import assert_told

ON = {"COUNTERFOIL_INSTRUMENT_PYDANTIC_AI": "true"}
RUN = ("opentelemetry-instrument", "python", "agent.py")


def test_an_agent_that_nobody_instrumented(application: Application) -> None:
    application.run(*RUN, **ON)
    assert_told(application.received, 1)
    (tool,) = (span for span in application.received.spans("pydantic-ai") if span.name == "execute_tool charge")
    assert attributes(tool)["gen_ai.tool.call.arguments"] == '{"amount":4711}'


def test_without_the_variable_it_stays_as_it_was(application: Application) -> None:
    application.run(*RUN)
    assert application.received.spans("pydantic-ai") == []


def test_content_stays_off_the_spans_where_the_variable_for_it_says_so(application: Application) -> None:
    application.run(*RUN, **ON, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="false")
    assert_told(application.received, 1)
    assert not any("4711" in str(span) for span in application.received.spans("pydantic-ai"))
    assert all("counterfoil.request.hash" not in told for (told,) in application.received.verdicts().values())


@pytest.mark.parametrize("choice", ["off", "without-content"])
def test_an_agent_that_chose_for_itself_keeps_its_choice(application: Application, choice: str) -> None:
    application.run("opentelemetry-instrument", "python", "own_choice.py", choice, **ON)
    spans = application.received.spans("pydantic-ai")
    if choice == "off":
        assert spans == []
    else:
        assert_told(application.received, 1)
        assert not any("4711" in str(span) for span in spans)
