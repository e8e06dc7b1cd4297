"""The agent of `agent.py`, for which somebody decided how it is instrumented."""

import sys

from agent import agent
from pydantic_ai.models.instrumented import InstrumentationSettings

agent.instrument = InstrumentationSettings(include_content=False) if sys.argv[1] == "without-content" else False
agent.run_sync("Charge.")
