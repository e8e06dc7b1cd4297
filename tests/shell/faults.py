"""Find the functions of ours that a piece of work reaches, and make one of them fail at a time.

A function is made to fail by giving it other code: every reference to it, imported under whatever name or bound to
whatever object, then fails.
"""

from __future__ import annotations

import ast
import gc
import inspect
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import counterfoil

PACKAGE = f"{Path(counterfoil.__file__).parent}/"


SECRET = "hunter2"
"""The words of every injected error. They belong to somebody."""


class Injected(Exception):
    """Nothing but a test raises this."""


@dataclass
class Reached:
    """Functions of ours: ``entries`` are called by others, ``inner`` only ever below another function of ours."""

    entries: set[CodeType] = field(default_factory=set)
    inner: set[CodeType] = field(default_factory=set)


def reached(work: Callable[[], Any]) -> Reached:
    """What the work reaches, on every thread that begins meanwhile."""
    found = Reached()

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and is_ours(frame.f_code):
            (found.inner if _below_ours(frame) else found.entries).add(frame.f_code)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    found.inner -= found.entries
    return found


def _below_ours(frame: FrameType) -> bool:
    above = frame.f_back
    while above is not None and not is_ours(above.f_code):
        above = above.f_back
    return above is not None


def is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(PACKAGE)


def functions(codes: set[CodeType]) -> list[FunctionType]:
    """The functions that have this code, by name. Comprehensions and the like belong to the function around them."""
    found = [each for each in gc.get_objects() if isinstance(each, FunctionType) and each.__code__ in codes]
    return sorted(found, key=lambda each: (each.__module__, each.__qualname__))


def is_guard(function: FunctionType) -> bool:
    """Whether all that it does is to try: what it calls may fail, it can't."""
    if function.__name__ == "<lambda>":
        return False
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(definition, ast.FunctionDef)
    *_, last = body = [one for one in definition.body if not _is_text(one)]
    return len(body) == 1 and isinstance(last, ast.Try) and any(map(_catches_all, last.handlers))


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _catches_all(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.type, ast.Name) and handler.type.id == "Exception"


@contextmanager
def failing(function: FunctionType) -> Iterator[list[int]]:
    """Meanwhile every call of the function raises. Gives a list with an entry for each call."""
    calls: list[int] = []
    function.__globals__["__injected__"] = calls, Injected
    original = function.__code__
    function.__code__ = _raising(original.co_freevars)
    try:
        yield calls
    finally:
        function.__code__ = original
        del function.__globals__["__injected__"]


def _raising(free: tuple[str, ...]) -> CodeType:
    """Code that takes any arguments, has these free variables, and raises."""
    around = "".join(f"    {name} = None\n" for name in free)
    inside = f"        ({', '.join(free)},)\n" if free else ""
    text = (
        f"def outside():\n{around}    def inside(*args, **kwargs):\n{inside}"
        "        calls, kind = __injected__\n        calls.append(1)\n        raise kind('"
        + SECRET
        + "')\n    return inside\n"
    )
    made: dict[str, Any] = {}
    exec(text, made)
    return made["outside"]().__code__
