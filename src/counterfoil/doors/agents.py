"""Turn the instrumentation of Pydantic AI on, for agents that nobody chose anything for."""

from __future__ import annotations

from counterfoil.doors.asked import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

NO_CONTENT = ("false", "0", "no", "off", "no_content", "event_only")
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def instrument(module: ModuleType) -> None:
    """Once ``pydantic_ai`` is loaded: instrument all agents if ``COUNTERFOIL_INSTRUMENT_PYDANTIC_AI`` says so.

    This sets the default that an agent without a choice of its own falls back on, as `Agent.instrument_all` does, and
    an application that calls that one later has the last word. Spans then hold prompts, arguments and results, which
    leave with the application's own export, unless OpenTelemetry's variable for content says no; without arguments no
    request can be hashed.
    """
    from counterfoil.config import Config

    environ = settings()
    config, _ = Config.load(environ)
    if not config.instrument_pydantic_ai or module.Agent._instrument_default is not False:
        return
    if environ.get(CONTENT, "").strip().lower() in NO_CONTENT:
        module.Agent.instrument_all(module.InstrumentationSettings(include_content=False))
    else:
        module.Agent.instrument_all(True)
