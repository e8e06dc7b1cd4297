"""The door into OpenTelemetry: a span processor that watches, and says what it found."""

from counterfoil.processor.attaching import attach
from counterfoil.processor.last_word import settle_all
from counterfoil.processor.processor import CounterfoilProcessor

__all__ = ["CounterfoilProcessor", "attach", "settle_all"]
