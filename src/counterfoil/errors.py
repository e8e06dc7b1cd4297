"""What may go wrong at start-up. Nothing of ours raises into an application after that."""

from __future__ import annotations

SHOWN = 60
"""So many characters of a value are shown."""


class CounterfoilError(Exception):
    """Every error that we raise on purpose."""


class ConfigError(CounterfoilError, ValueError):
    """A setting can't be used: which one, the value that it has, and the way out."""

    def __init__(self, setting: str, value: object, way_out: str) -> None:
        self.setting = setting
        self.value = value if len(repr(value)) <= SHOWN else f"{str(value)[:SHOWN]}…"
        self.way_out = way_out
        super().__init__(f"{setting} is {self.value!r}: {way_out}")


class SecretError(ConfigError):
    """The same for a setting whose value must not be shown."""

    def __init__(self, setting: str, way_out: str) -> None:
        super().__init__(setting, "(not shown)", way_out)
