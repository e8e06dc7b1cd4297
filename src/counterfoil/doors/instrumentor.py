"""The door for declarative configuration: options under ``instrumentation/development: python: counterfoil:``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from opentelemetry.instrumentation.instrumentor import BaseInstrumentor  # type: ignore[attr-defined,unused-ignore]

from counterfoil.doors.asked import ENABLED, tell
from counterfoil.doors.boot import arm

PREFIX = "COUNTERFOIL_"
_THEIRS = ("tracer_provider", "meter_provider", "logger_provider")
"""What code that calls an instrumentor by hand may pass; the doors find the providers themselves."""


class CounterfoilInstrumentor(BaseInstrumentor):  # type: ignore[misc,unused-ignore]
    """Attaches where a configuration file names it. The options are the settings, in lower case and without prefix,
    and stand above the environment; to be named with an option is to be enabled.

    ``opentelemetry-instrument`` calls it as well, without options: then the environment decides.
    """

    def instrumentation_dependencies(self) -> Collection[str]:
        return ()

    def _instrument(self, **options: Any) -> None:
        try:
            named = {name: value for name, value in options.items() if name not in _THEIRS}
            arm("instrumentor", as_settings(named))
        except Exception as trouble:  # the instrumentors after this one must still load
            tell(trouble)

    def _uninstrument(self, **_options: Any) -> None:
        """Nothing to take back: a processor leaves with its provider."""


def as_settings(options: Mapping[str, Any]) -> dict[str, str]:
    """Options of a configuration file as the variables that would say the same."""
    if not options:
        return {}
    return {ENABLED: "true", **{PREFIX + name.upper(): _text(value) for name, value in options.items()}}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
