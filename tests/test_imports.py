"""Imports point one way: core <- names <- reading <- keeping <- drawing <- shell <- leaves <- commands.

A module may import its own room and the rooms before it in the table. An import under `if TYPE_CHECKING:` or
inside a function counts like any other: being lazy does not change what depends on what.
"""

import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.imports import Import, cycle, imports, sources

PACKAGE = Path(__file__).parents[1] / "src" / "counterfoil"
OURS = PACKAGE.name
ANYTHING = frozenset({"*"})
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Room:
    """Modules, as patterns in which a folder stands for all in it, and what they may use from outside."""

    name: str
    modules: str
    third_party: frozenset[str]


CORE = """
    facts records packed evidence joining dispatch operations holdings owners doubts across
    rules verdicts findings judge explain histories
"""

KEEPING = "book ledger auditing archives suggesting waiting five_facts printable"

ARCHIVES = ("duckdb", "pyarrow", "clickhouse_connect")

# Lowest first. The more exact pattern wins: `histories/pydantic*` is not in the room of `histories/`.
ROOMS = (
    Room("core", CORE, NOTHING),
    Room("names", "names instruments errors config", frozenset({"jmespath"})),
    Room("reading", "reading receipts", frozenset({"orjson", "rfc8785", "jmespath", "opentelemetry"})),
    Room("keeping", KEEPING, frozenset({"orjson", "rfc8785", "psycopg", "sqlalchemy", *ARCHIVES})),
    Room("drawing", "drawing", frozenset({"jinja2"})),
    Room("shell", "telling serving processor exporter sampling stated* stating probing doors", ANYTHING),
    Room("leaves", "pydantic_ai* logfire* histories.pydantic* bridges engines testing", ANYTHING),
    Room("commands", "cli demo doctoring __main__", ANYTHING),
)

# What only some modules may import, whatever their room says of third parties. Room names or patterns.
RESERVED = {
    "opentelemetry.sdk": "shell leaves commands",
    "opentelemetry.exporter": "shell leaves commands",
    "opentelemetry.instrumentation": "shell leaves commands",
    "pydantic_ai": "pydantic_ai* histories.pydantic* bridges demo",
    "pydantic_ai_harness": "pydantic_ai* histories.pydantic* bridges demo",
    "logfire": "leaves demo",
    # The root holds the public names for users. Inside, ask the module that has the thing.
    OURS: "testing cli demo",
    # The environment is read in one place; files, processes and forks are the business of the two ends.
    "os": "config keeping shell leaves commands",
    "os.environ": "config shell leaves commands",
    "os.getenv": "config shell leaves commands",
    "tomllib": "config leaves commands",
}

# The core has no clock, no chance, no thread and no file: what it says depends on the facts alone.
IMPURE = """
    asyncio concurrent ctypes http io logging mmap multiprocessing pathlib queue random secrets select
    selectors shutil signal socket sqlite3 ssl subprocess tempfile threading time urllib.request
"""
RESERVED |= dict.fromkeys(IMPURE.split(), "names reading keeping shell leaves commands")


def local(module: str) -> str:
    """`counterfoil.cli.audit` without the package's name; the root itself is the empty string."""
    return module.removeprefix(OURS).removeprefix(".")


def matches(module: str, patterns: str) -> int:
    """How many dots the best pattern that covers the module has, plus one; 0 when none does."""
    name = local(module)
    covering = (p for p in patterns.split() if fnmatchcase(name, p) or fnmatchcase(name, f"{p}.*"))
    return max((pattern.count(".") + 1 for pattern in covering), default=0)


def room_of(module: str) -> Room | None:
    best = max(ROOMS, key=lambda room: matches(module, room.modules))
    return best if matches(module, best.modules) else None


def within(target: str, path: str) -> bool:
    return target == path or target.startswith(f"{path}.")


def in_standard_library(target: str) -> bool:
    return target.partition(".")[0] in sys.stdlib_module_names


def complaint(found: Import) -> str | None:
    """Why an import may not be, in words, or nothing."""
    room = room_of(found.module)
    if room is None:  # the root, which has a test of its own
        return None
    for path, allowed in RESERVED.items():
        covered = found.target == OURS if path == OURS else within(found.target, path)
        if covered and room.name not in allowed.split() and not matches(found.module, allowed):
            return f"{found}, but {path} is for {allowed}"
    if within(found.target, OURS):
        other = room_of(found.target)
        if other is not None and ROOMS.index(other) > ROOMS.index(room):
            return f"{found}, but {room.name} stands below {other.name}"
    elif not room.third_party & {found.target.partition(".")[0], "*"} and not in_standard_library(found.target):
        return f"{found}, but {room.name} may use only {' '.join(room.third_party) or 'the standard library'}"
    return None


def complaints(texts: dict[str, str]) -> list[str]:
    return [why for found in imports(texts) if (why := complaint(found))]


def circles(texts: dict[str, str]) -> list[str]:
    edges: dict[str, set[str]] = {}
    for found in imports(texts):
        if found.at_run_time and within(found.target, OURS) and found.target != found.module:
            edges.setdefault(found.module, set()).add(found.target)
    return cycle(edges)


def test_every_module_has_a_room() -> None:
    homeless = [name for name in sources(PACKAGE) if name != f"{OURS}.__init__" and room_of(name) is None]
    assert not homeless, f"say in ROOMS where these belong: {homeless}"


def test_imports_point_one_way() -> None:
    found = complaints(sources(PACKAGE))
    assert not found, "\n".join(found)


def test_no_module_waits_for_itself() -> None:
    found = circles(sources(PACKAGE))
    assert not found, " -> ".join(found)


def test_importing_the_package_loads_nothing() -> None:
    eager = [
        str(found)
        for found in imports(sources(PACKAGE))
        if found.module == OURS and found.at_run_time and found.on_load
        if not in_standard_library(found.target)
    ]
    assert not eager, f"import these when the name is asked for, in __getattr__: {eager}"


# A package of empty modules, so that the examples below can tell a module from a name in it.
MODULES = """
    __init__ facts evidence rules judge histories.__init__ histories.gates names config reading.__init__
    reading.own book ledger.__init__ processor pydantic_ai demo.__init__ cli.__init__
"""
SKETCH = {f"{OURS}.{name}": "" for name in MODULES.split()}


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("rules", "from .processor import CounterfoilProcessor"),
        ("rules", "from . import names"),
        ("rules", "import counterfoil.names"),
        ("rules", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .book import Book"),
        ("rules", "def late():\n    import rfc8785"),
        ("rules", "from importlib import import_module\nimport_module('.names', __package__)"),
        ("judge", "import time"),
        ("histories.gates", "from ..reading import own"),
        ("histories.gates", "import pydantic_ai"),
        ("names", "import os"),
        ("reading.genai", "from opentelemetry import sdk"),
        ("reading.genai", "from opentelemetry.sdk.trace import ReadableSpan"),
        ("reading.own", "import httpx"),
        ("ledger.sqlite", "from os import environ"),
        ("processor", "import logfire"),
        ("processor", "from pydantic_ai import Agent"),
        ("processor", "from counterfoil import __version__"),
        ("processor", "from .pydantic_ai import Capability"),
        ("pydantic_ai", "from .cli import main"),
    ],
)
def test_an_import_against_the_direction_is_noticed(module: str, text: str) -> None:
    assert complaints(SKETCH | {f"{OURS}.{module}": text})


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("rules", "from dataclasses import dataclass\nfrom .facts import Fact"),
        ("histories.gates", "from ..facts import Fact"),
        ("histories.pydantic", "from pydantic_ai.messages import ModelMessage\nfrom ..reading import own"),
        ("config", "import os\nimport tomllib"),
        ("reading.genai", "from opentelemetry.trace import StatusCode\nfrom .. import names"),
        ("ledger.sqlite", "import os\nimport sqlite3"),
        ("processor", "from opentelemetry.sdk.trace import SpanProcessor\nfrom .book import Book"),
        ("cli.audit", "import counterfoil\nfrom ..demo import run\nimport typer"),
    ],
)
def test_an_import_along_the_direction_is_let_be(module: str, text: str) -> None:
    assert complaints(SKETCH | {f"{OURS}.{module}": text}) == []


def test_a_circle_is_noticed_even_when_half_of_it_is_lazy() -> None:
    one, two = f"{OURS}.evidence", f"{OURS}.judge"
    texts = {one: "def late():\n    from .judge import judge", two: "from . import evidence"}
    assert circles(texts) == [one, two, one]


def test_what_only_the_type_checker_sees_makes_no_circle() -> None:
    one, two = f"{OURS}.evidence", f"{OURS}.judge"
    typing = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .judge import judge"
    assert circles({one: typing, two: "from . import evidence"}) == []
