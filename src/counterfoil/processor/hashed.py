"""Headers that are on a span for our sake alone: what leaves with the application's own spans is their hash."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterfoil.reading.hashing import fingerprint
from counterfoil.reading.http import REQUEST_HEADER, is_blanked
from counterfoil.reading.views import Attributes


def attributes_of(headers: Iterable[str]) -> tuple[str, ...]:
    """How the instrumentations spell these headers of a request."""
    return tuple(REQUEST_HEADER + name.replace("-", "_") for name in headers)


def hash_in_place(span: Any, attributes: Attributes, names: Iterable[str], secret: bytes | None) -> None:
    """Put the fingerprint of each of these attributes where its value is, on a span that has just started."""
    for name in names:
        if name in attributes:
            value = attributes[name]
            several = value if isinstance(value, list | tuple) else (value,)
            span.set_attribute(name, [one if is_blanked(one) else fingerprint(str(one), secret) for one in several])
