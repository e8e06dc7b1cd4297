"""The door for declarative configuration: options under ``instrumentation/development: python: counterfoil:``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opentelemetry.instrumentation.instrumentor import BaseInstrumentor  # type: ignore[attr-defined,unused-ignore]

from counterfoil.doors.boot import arm
from counterfoil.doors.entry_points import attach_global


class CounterfoilInstrumentor(BaseInstrumentor):  # type: ignore[misc,unused-ignore]
    """Attaches where a configuration file names it. The options are the settings, in lower case and without prefix.

    Under ``opentelemetry-instrument`` it is called once more, without options; then the environment decides.
    """

    def instrumentation_dependencies(self) -> Collection[str]:
        return ()

    def _instrument(self, **options: Any) -> None:
        try:
            settings = {name: value for name, value in options.items() if name not in _THEIRS}
            if settings:
                from counterfoil.config import Config, use

                use(Config.from_options(settings))
            if arm("instrumentor", always=bool(settings)):
                attach_global()
        except Exception:  # told by `doctor`; other instrumentors must still load
            return

    def _uninstrument(self, **_options: Any) -> None:
        """Nothing to take back: a processor leaves with its provider."""


_THEIRS = ("tracer_provider", "meter_provider", "logger_provider", "skip_dep_check", "raise_exception_on_conflict")
