"""Matches what an agent meant, sent and was told with what the world then holds."""

TYPE_CHECKING = False  # typing's own costs most of an interpreter's start, and this module is loaded at every one
if TYPE_CHECKING:
    from typing import Any

    from counterfoil.config import Config as Config
    from counterfoil.histories.pydantic_audit import audit_history as audit_history
    from counterfoil.processor import CounterfoilProcessor as CounterfoilProcessor
    from counterfoil.processor import attach as attach
    from counterfoil.sampling import RecordAll as RecordAll
    from counterfoil.stating import current_operation as current_operation
    from counterfoil.stating import operation as operation
    from counterfoil.stating import record_effect as record_effect
    from counterfoil.stating import record_intent as record_intent
    from counterfoil.stating import record_waiting as record_waiting

    __version__: str

__all__ = [
    "Config",
    "CounterfoilProcessor",
    "RecordAll",
    "__version__",
    "attach",
    "audit_history",
    "current_operation",
    "operation",
    "record_effect",
    "record_intent",
    "record_waiting",
]

_HOMES = {
    "Config": "counterfoil.config",
    "CounterfoilProcessor": "counterfoil.processor",
    "RecordAll": "counterfoil.sampling",
    "attach": "counterfoil.processor",
    "audit_history": "counterfoil.histories.pydantic_audit",
    "current_operation": "counterfoil.stating",
    "operation": "counterfoil.stating",
    "record_effect": "counterfoil.stating",
    "record_intent": "counterfoil.stating",
    "record_waiting": "counterfoil.stating",
}


def __getattr__(name: str) -> "Any":
    """Load a public name when it is asked for: importing this costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("counterfoil")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
