"""How a target is asked: which probe, when, how often, and within which limits.

[tools.charge]
probe = "shop.probes:find_charge"                     # all the rest at its default

[tools.refund.probe]
url = "https://pay.example/refunds?key={key}"
headers = { Authorization = "Bearer ${PAY_TOKEN}" }   # the variable's name; its value never stands here
found = "data[*].id"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from urllib.parse import urlsplit

from counterfoil.config import values
from counterfoil.config.lookups import expression

PLACES = ("key", "operation_id", "ref", "intent_ref", "request_hash")
"""What a URL or a statement may ask with."""

_NAMED = re.compile(r"(?:[A-Za-z]+ )?\$\{([A-Za-z_]\w*)\}", re.ASCII)
_STATEMENT = re.compile(r"\s*(?:select|with)\b[^;]*;?\s*", re.IGNORECASE)
_BOUND = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)", re.ASCII)
_MOST_PROBES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """So many looks at once, and so many begun in a minute, from one worker."""

    at_once: int = 2
    per_minute: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds: until the first look, then ``factor`` times as long until each further one, at most ``longest_s``; at
    most ``most`` looks within ``deadline_s``. A look that takes longer than ``timeout_s`` has said nothing."""

    first_s: float = 5.0
    factor: float = 2.0
    longest_s: float = 3_600.0
    most: int = 8
    deadline_s: float = 86_400.0
    timeout_s: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeConfig:
    """One probe: a ``function``, a ``url`` or an ``sql`` statement. ``headers`` and ``database`` name variables.

    ``found`` and ``count`` are JMESPath into what was read. ``absent``: statuses that mean that there is none.
    ``target`` names what the limits of several tools are shared for.
    """

    function: str | None = None
    url: str | None = None
    sql: str | None = None
    database: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    found: str | None = None
    count: str | None = None
    absent: tuple[int, ...] = ()
    authoritative: bool = True
    target: str = ""
    pace: Pace = Pace()
    limit: Limit = Limit()


def probe(value: object) -> ProbeConfig:
    """Read ``module:function`` or a table. ValueError says the key, what is wrong with it, and the way out."""
    if not isinstance(value, Mapping):
        function = values.function(value)
        return ProbeConfig(function=function, target=function.partition(":")[0])
    said = {name: _read(name, part) for name, part in value.items()}
    if sum(name in said for name in ("function", "url", "sql")) != 1:
        raise ValueError("name one of function, url and sql")
    if ("database" in said) != ("sql" in said):
        raise ValueError("sql and database go together")
    if "url" in said and not {"found", "count"} & said.keys():
        raise ValueError("say in found or count, as JMESPath, where the answer tells what there is")
    own = {name: said.pop(name) for name in tuple(said) if name not in _PACE and name not in _LIMIT}
    pace = Pace(**{_PACE[name]: part for name, part in said.items() if name in _PACE})  # type: ignore[arg-type]
    limit = Limit(**{name: part for name, part in said.items() if name in _LIMIT})  # type: ignore[arg-type]
    own.setdefault("target", _target(own))
    return ProbeConfig(pace=pace, limit=limit, **own)  # type: ignore[arg-type]


def limit(value: object) -> Limit:
    """The limits of one target, whichever tools ask it."""
    if not isinstance(value, Mapping) or not value.keys() <= _LIMIT.keys():
        raise ValueError("write a table of at_once and per_minute")
    return Limit(**{name: _read(name, part) for name, part in value.items()})  # type: ignore[arg-type]


def expect(value: object) -> str:
    """``module:function``, or JMESPath on what the probe read."""
    text = values.text(value)
    try:
        return values.function(text)
    except ValueError:
        return expression(text)


def variable(header: str) -> str:
    """The environment's variable that a header or an address names."""
    match = _NAMED.fullmatch(header)
    return match[1] if match else ""


def _target(own: Mapping[str, object]) -> str:
    url, function, database = own.get("url"), own.get("function"), own.get("database")
    if isinstance(url, str):
        return urlsplit(url).netloc
    return str(function).partition(":")[0] if function else variable(str(database))


def _read(name: str, value: object) -> object:
    if name not in _KEYS:
        raise ValueError(f"{name} is no key of a probe; write one of {', '.join(_KEYS)}")
    try:
        return _KEYS[name](value)
    except ValueError as wrong:
        raise ValueError(f"{name} in it can't be used: {wrong}") from None


def _url(value: object) -> str:
    url = values.text(value)
    try:
        parts = urlsplit(url)
        places = [place for _, place, spec, _ in Formatter().parse(url) if place is not None and not spec]
        fits = parts.scheme in ("http", "https") and parts.hostname and "{" not in parts.netloc and "@" not in url
    except ValueError:
        fits, places = False, []
    if not fits or not set(places) <= set(PLACES):
        raise ValueError(f"write http(s)://host/path, without a password, with any of {', '.join(PLACES)} in braces")
    return url


def _sql(value: object) -> str:
    statement = values.text(value)
    bound = set(_BOUND.findall(statement))
    if not _STATEMENT.fullmatch(statement) or not bound or not bound <= set(PLACES):
        raise ValueError(f"write one SELECT, with one or more of {', '.join(f':{place}' for place in PLACES)}")
    return statement


def _named(value: object) -> str:
    if isinstance(value, str) and _NAMED.fullmatch(value):
        return value
    raise ValueError("name a variable of the environment, as in ${PAY_TOKEN} or Bearer ${PAY_TOKEN}")


def _headers(value: object) -> Mapping[str, str]:
    if not isinstance(value, Mapping) or not all(re.fullmatch(r"[\w-]+", str(name)) for name in value):
        raise ValueError("write a table such as { Authorization = 'Bearer ${PAY_TOKEN}' }")
    return {str(name): _named(part) for name, part in value.items()}


def _statuses(value: object) -> tuple[int, ...]:
    if isinstance(value, list) and all(isinstance(one, int) and 400 <= one < 500 for one in value):
        return tuple(value)
    raise ValueError("write a list of statuses from 400 to 499, such as [404]")


def _whole(most: int) -> Callable[[object], object]:
    def read(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
            return value
        raise ValueError(f"write a whole number from 1 to {most}")

    return read


def _factor(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= 10:
        return float(value)
    raise ValueError("write a number from 1 to 10")


def _path(value: object) -> str:
    return expression(values.text(value))


_PACE: Mapping[str, str] = {
    "first": "first_s",
    "factor": "factor",
    "longest": "longest_s",
    "most": "most",
    "deadline": "deadline_s",
    "timeout": "timeout_s",
}
_LIMIT: Mapping[str, str] = {"at_once": "at_once", "per_minute": "per_minute"}
_KEYS: Mapping[str, Callable[[object], object]] = {
    "function": values.function,
    "url": _url,
    "sql": _sql,
    "database": _named,
    "headers": _headers,
    "found": _path,
    "count": _path,
    "absent": _statuses,
    "authoritative": values.boolean,
    "target": values.text,
    "first": values.seconds,
    "factor": _factor,
    "longest": values.seconds,
    "most": _whole(_MOST_PROBES),
    "deadline": values.seconds,
    "timeout": values.seconds,
    "at_once": _whole(_MOST_PROBES),
    "per_minute": _whole(60_000),
}
