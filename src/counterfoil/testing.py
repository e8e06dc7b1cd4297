"""A small notation for evidence, so that a test reads as the story it tells.

    story('''
        intent  charge_card key=k1 payload=A
        attempt timeout
        attempt success
        receipt pay_1
        webhook pay_2
    ''')

One line, or one part between semicolons, is one fact. Its first word is the kind, its second the one thing that this
kind can't do without; then come fields of the evidence format as ``name=value``, and flags that are true as bare words.

    intent [tool]              attempt success | timeout | error | cancelled | started | <HTTP status>
    claim success | error      receipt, webhook, probe, human, effect source=…: <reference> | <number found>
    gap <what>                 unreadable [field]

Short names: ``op`` (operation, else ``op-1``), ``id`` (attempt), ``key``, ``payload`` (a word becomes a ``sha256``
hash), ``meant`` (effects expected), ``hint`` (idempotent), ``at`` (seconds after the start). A fact without ``at`` is
seen a second after the one before it; attempts are ``a1``, ``a2`` and so on. A look at the target is authoritative
unless it says ``authoritative=false``.

All of it goes through the reader of evidence files, so that a story can't say what telemetry couldn't.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from counterfoil.evidence import fold
from counterfoil.facts import HUMAN, PROBE, PROVIDER_RECEIPT, WEBHOOK, Fact, Gap, Reported, Transport, Unreadable
from counterfoil.judge import Judgement, judge_all
from counterfoil.reading.evidence import Unusable, fact_from, unlisted
from counterfoil.records import rfc3339

OPERATION = "op-1"
"""The operation of every line that names none."""

_NANOSECONDS = 1_000_000_000
_LOOKS: Mapping[str, str] = {
    "effect": PROVIDER_RECEIPT,
    "receipt": PROVIDER_RECEIPT,
    "webhook": WEBHOOK,
    "probe": PROBE,
    "human": HUMAN,
}
_SHORT: Mapping[str, str] = {
    "op": "operation_id",
    "id": "attempt_id",
    "key": "idempotency_key",
    "payload": "payload_hash",
    "meant": "expected_count",
}
_FLAGS = frozenset(
    ("approved", "hint_trusted", "replay", "started_only", "exception_event", "authoritative", "conforms", "replayed")
)
_Values = dict[str, object]


def story(text: str) -> tuple[Fact | Gap, ...]:
    """The facts that a story tells, in its order. Raises ValueError, naming the line, for what can't be read."""
    numbers, seconds = count(1), 0.0
    facts: list[Fact | Gap] = []
    for line in _lines(text):
        try:
            kind, values = _parsed(line)
            seconds = _number(values.pop("at", seconds + 1))
            if kind == "attempt":
                values.setdefault("attempt_id", f"a{next(numbers)}")
            facts.append(_fact(kind, values, seconds))
        except (ValueError, TypeError) as wrong:
            raise ValueError(f"can't read {line!r}: {wrong}; see counterfoil.testing for the notation") from None
    return tuple(facts)


def judged(text: str, operation_id: str = OPERATION) -> Judgement:
    """What a story comes to for one of its operations, beside all others that it tells of."""
    judgements = judge_all(fold(story(text)))
    if operation_id not in judgements:
        raise ValueError(f"no fact is about {operation_id!r}, only about {sorted(judgements)}")
    return judgements[operation_id]


def _lines(text: str) -> Iterator[str]:
    for part in text.replace(";", "\n").splitlines():
        if line := part.strip():
            yield line


def _parsed(line: str) -> tuple[str, _Values]:
    kind, *words = line.split()
    values: _Values = {}
    if words and "=" not in words[0] and words[0] not in _FLAGS:
        values |= _said_first(kind, words.pop(0))
    for word in words:
        name, equals, value = word.partition("=")
        if not equals and name not in _FLAGS:
            raise ValueError(f"{name!r} is no flag")
        values[_SHORT.get(name, name)] = _value(value) if equals else True
    return kind, values


def _said_first(kind: str, word: str) -> _Values:
    """The word after the kind, under the name of the field that it fills."""
    if kind in _LOOKS:
        return {"count": int(word)} if word.isdecimal() else {"effect_ref": word}
    match kind:
        case "attempt" if word.isdecimal():
            return {"transport": Transport.HTTP_STATUS.value, "http_status": int(word)}
        case "attempt":
            return {"transport": Transport(word).value}
        case "claim":
            return {"reported": Reported(word).value}
    return {{"intent": "tool", "gap": "what", "unreadable": "field"}.get(kind, kind): word}


def _value(text: str) -> object:
    """``true``, ``false``, ``null`` and numbers as JSON has them; everything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("at must be a number of seconds")
    return float(value)


def _fact(kind: str, values: _Values, seconds: float) -> Fact | Gap:
    if kind == "unreadable":
        return Unreadable(
            operation_id=str(values.get("operation_id", OPERATION)),
            observed_at=0,
            field=str(values.get("field", "a field")),
        )
    record: _Values = {"kind": "effect" if kind in _LOOKS else kind, "observed_at": _time(seconds), **values}
    if kind != "gap":
        record.setdefault("operation_id", OPERATION)
    if kind in _LOOKS:
        record.setdefault("source", _LOOKS[kind])
        record.setdefault("authoritative", True)
    for name, spell in _SPELL.items():
        if name in record:
            record |= spell(record.pop(name))
    return _read(record)


def _read(record: _Values) -> Fact | Gap:
    try:
        fact = fact_from(record)
    except Unusable as wrong:
        raise ValueError(wrong.what) from None
    if unlisted(record):
        raise ValueError(f"a field that {record['kind']} doesn't have among {', '.join(record)}")
    return fact


def _time(seconds: float) -> str:
    return rfc3339(round(seconds * _NANOSECONDS))


def _hash(word: object) -> _Values:
    hashed = word if word is None or ":" in str(word) else f"sha256:{word}"
    return {"payload_hash": hashed}


_SPELL: Mapping[str, Callable[[object], _Values]] = {
    "payload_hash": _hash,
    "hint": lambda value: {"hints": {"idempotentHint": value}},
}
