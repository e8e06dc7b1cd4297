"""Have the instrumentations of HTTP clients show the key of a request, where nobody has chosen what they show.

A retry without its key and a retry whose key nobody could see look alike on a span; only the first is a finding.
"""

from __future__ import annotations

import os

from counterfoil.doors.asked import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from counterfoil.config import Lookup

KEYS = ("idempotency-key", "x-idempotency-key")
_OF_A_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


def capture(_module: ModuleType | None = None) -> None:
    """Set OpenTelemetry's variables for the headers of requests and of answers, each only where it isn't set at all.

    They are read when an instrumentation is set up, which is after the module with their names was imported, and
    children inherit them. What the key's header then holds is hashed before a span leaves: `counterfoil.processor` sees
    to that for the names in `HASHED`. ``COUNTERFOIL_CAPTURE_KEYS=false`` leaves the variables alone.
    """
    from counterfoil.config import CAPTURE, HASHED, Config

    config, _ = Config.load(settings())
    if not config.capture_keys:
        return
    tools = config.tools.values()
    keys = (*KEYS, *_headers(tool.idempotency_key for tool in tools))
    if _set(f"{CAPTURE}REQUEST", keys):
        os.environ[HASHED] = os.environ[f"{CAPTURE}REQUEST"]
    _set(f"{CAPTURE}RESPONSE", _headers(tool.effect_ref for tool in tools))


def _set(variable: str, names: Iterable[str]) -> bool:
    wanted = ",".join(dict.fromkeys(names))
    if not wanted or variable in os.environ:
        return False
    os.environ[variable] = wanted
    return True


def _headers(lookups: Iterable[Lookup | None]) -> list[str]:
    """Names of headers only: the variables hold patterns, and no other text is one for itself."""
    named = (each.text for each in lookups if each is not None and each.place == "header")
    return [name for name in named if _OF_A_NAME.issuperset(name)]
