"""The doors that OpenTelemetry opens by entry point. None of them does anything unless it is asked to, or raises."""

from __future__ import annotations

from opentelemetry.sdk.resources import Resource, ResourceDetector

from counterfoil.doors.boot import arm


def pre_instrument() -> None:
    """Under ``opentelemetry-instrument``: the providers exist, no instrumentor has run. To raise would keep every
    instrumentor of the host from loading."""
    arm("pre_instrument")


class CounterfoilResourceDetector(ResourceDetector):
    """Adds nothing to a resource. That it is asked shows that an SDK is being set up, in every shape of application."""

    def detect(self) -> Resource:
        arm("resource_detector")
        return Resource.get_empty()
