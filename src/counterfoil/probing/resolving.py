"""From what is configured to what is called. What can't be used is said at start-up: key, value and way out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from counterfoil.config import Config, ProbeConfig, ToolConfig
from counterfoil.config.probes import variable
from counterfoil.errors import ConfigError
from counterfoil.probing.looks import Contract
from counterfoil.probing.question import Probe, Question


def probe_of(config: ProbeConfig, environ: Mapping[str, str] = os.environ) -> Probe:
    """The probe that is configured. ValueError says what is wrong, and the way out."""
    if config.function is not None:
        return function(config.function)
    named = {name: _valued(text, environ) for name, text in config.headers.items()}
    if config.url is not None:
        from counterfoil.probing.http import HttpProbe

        return HttpProbe(config, named)
    from counterfoil.probing.sql import SqlProbe

    return SqlProbe(config, _valued(str(config.database), environ))


def contract_of(expect: str) -> Contract:
    """The outcome contract that is configured. ValueError says what is wrong, and the way out."""
    if ":" in expect and (name := expect).replace(":", "").replace(".", "").isidentifier():
        return partial(_by_function, function(name))
    return partial(_by_path, expect)


def function(name: str) -> Callable[..., Any]:
    """The function at ``module:function``. ValueError says what is wrong, and the way out."""
    module, _, path = name.partition(":")
    try:
        found: object = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as error:  # importing runs the user's code
        raise ValueError(f"{name} can't be imported here ({type(error).__name__}); name one that can") from None
    if not callable(found):
        raise ValueError(f"{name} can't be called; name a function")
    return found


def problems(config: Config, environ: Mapping[str, str] = os.environ) -> Iterator[ConfigError]:
    """Every probe and every contract that can't be used in this process."""
    for name, tool in config.tools.items():
        for setting, value, use in _uses(tool, environ):
            try:
                use()
            except ValueError as wrong:
                yield ConfigError(f"{setting} of [tools.{name}]", value, str(wrong))


def _uses(tool: ToolConfig, environ: Mapping[str, str]) -> Iterator[tuple[str, object, Callable[[], object]]]:
    if tool.probe is not None:
        shown = tool.probe.function or tool.probe.target
        yield "probe", shown, partial(probe_of, tool.probe, environ)
    if tool.expect is not None:
        yield "expect", tool.expect, partial(contract_of, tool.expect)
        if tool.probe is None:
            yield "expect", tool.expect, _needs_a_probe


def _needs_a_probe() -> None:
    raise ValueError("a contract looks at what a probe read; declare a probe, or take it out")


def _valued(text: str, environ: Mapping[str, str]) -> str:
    """The text with the variable's value in it."""
    name = variable(text)
    value = environ.get(name, "")
    if not value or "\n" in value or "\r" in value:
        raise ValueError(f"{name} is not set here, or no single line; set it where this runs")
    return text.replace(f"${{{name}}}", value)


def _by_function(contract: Callable[..., object], read: object, question: Question) -> tuple[bool | None, str | None]:
    """A contract that raises, or that answers with anything but yes or no, has said nothing."""
    try:
        said = contract(read, question)
    except Exception as error:
        return None, f"the outcome contract raised {type(error).__name__[:60]}"
    return _yes_or_no(said)


def _by_path(expression: str, read: object, _: Question) -> tuple[bool | None, str | None]:
    try:
        return _yes_or_no(jmespath.search(expression, read))
    except (JMESPathError, ArithmeticError, TypeError, ValueError, RecursionError):
        return None, "the outcome contract doesn't fit what was read"


def _yes_or_no(said: object) -> tuple[bool | None, str | None]:
    if isinstance(said, bool):
        return said, None if said else "the outcome contract said no"
    return None, f"the outcome contract said {type(said).__name__[:40]}, neither true nor false"
