"""The doors that OpenTelemetry opens by entry point. None of them does anything unless it is asked to."""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk.resources import Resource, ResourceDetector

from counterfoil.doors.boot import arm


def pre_instrument() -> None:
    """Under ``opentelemetry-instrument``: the providers exist, no instrumentor has run. Must not raise: that would keep
    every instrumentor of the host from loading."""
    if arm("pre_instrument"):
        attach_global()


class CounterfoilResourceDetector(ResourceDetector):
    """Adds nothing to a resource. That it is asked shows that an SDK is being set up, in every shape of application."""

    def detect(self) -> Resource:
        arm("resource_detector")
        return Resource.get_empty()


def attach_global() -> None:
    """Attach to the provider that was set before this door opened."""
    try:
        from opentelemetry import trace

        from counterfoil.processor import attach

        provider: Any = trace.get_tracer_provider()
        if hasattr(provider, "add_span_processor"):
            attach(provider)
    except Exception:  # told by `doctor`; the host's start-up goes on
        return
