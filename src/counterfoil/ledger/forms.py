"""Writing a fact's record twice at the cost of once: as the core names it, and in few letters.

Facts come in few forms: which fields were said, of which kind. What is the same for all facts of one form, such as the
order of the names, is worked out once. `records.record_of` and `records.canonical` say what is right; `tests/ledger`
has the law that this says the same.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter, is_not
from typing import Any

import orjson

from counterfoil.facts import FROM_INTENT, Attempt, Effect, Fact, Gap
from counterfoil.records import KINDS, canonical, rfc3339

_NAMES = (
    "kind observed_at process trace_id span_id expected_count tool side_effect payload_hash idempotency_key key_scope "
    "key_ttl_s intent_ref approved hints hint_trusted id_source tool_call_id run_id conversation_id agent attempt_id "
    "transport http_status reported executed proof payload_state replay dispatch_ref scope wire_requests attempt_no "
    "started_only exception_event source effect_ref count authoritative settle_after_s stage matches_payload_hash "
    "conforms why about_ref compensates replayed by field what key_state advice waits_for decision wait_s resume_token"
)
LETTERS = dict(zip(_NAMES.split(), "ktpabcdefghijlmnoqrsuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123", strict=True))
"""One letter or digit for each field. They are only ever added: what is on disk was written with these."""

_FIELDS = {letter: name for name, letter in LETTERS.items()}
_OPERATION = "operation_id"
_HASHES = ("payload_hash", "idempotency_key", "matches_payload_hash")
_HASH = re.compile(r"(sha256:|hmac-sha256:)([0-9a-f]{64})", re.ASCII)
_MARKS = {"sha256:": "#", "hmac-sha256:": "~"}
_SCHEMES = {mark: scheme for scheme, mark in _MARKS.items()}
_MARKED = ("#", "~", "!")
_SECOND = 1_000_000_000
_SPELLED = {"idempotent_hint": "hints"}
_ALWAYS_SAID = object()


@dataclass(frozen=True, slots=True)
class _Form:
    """The fields that a fact says, sorted by their names in a record, and where in the fact they are."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    operation: int | None  # where the operation's id stands among them
    hashes: tuple[int, ...]  # where hashes do, once the id is taken out
    letters: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of fact: how to get at its values, and which of them mean that nothing was said."""

    kind: str
    names: tuple[str, ...]
    values: Callable[[Any], tuple[Any, ...]]
    unsaid: tuple[object, ...]
    forms: dict[bytes, _Form] = field(default_factory=dict)

    def form(self, said: bytes) -> _Form:
        known = self.forms.get(said)
        if known is None:
            known = self.forms[said] = self._form(said)
        return known

    def _form(self, said: bytes) -> _Form:
        listed = sorted([(name, place) for place, name in enumerate(self.names) if said[place]] + [("kind", -1)])
        names = tuple(name for name, _ in listed)
        rest = [name for name in names if name != _OPERATION]
        return _Form(
            names=names,
            places=tuple(place for _, place in listed),
            operation=names.index(_OPERATION) if _OPERATION in names else None,
            hashes=tuple(place for place, name in enumerate(rest) if name in _HASHES),
            letters="".join(LETTERS[name] for name in rest),
        )


def written(fact: Fact | Gap) -> tuple[bytes, bytes]:
    """The canonical record, and the packed one without the operation's id. TypeError for what JSON can't say."""
    kind = _KINDS[type(fact)]
    values = kind.values(fact)
    form = kind.form(bytes(map(is_not, values, kind.unsaid)))
    said: list[Any] = [kind.kind if place < 0 else values[place] for place in form.places]
    plain = True
    for number, name in enumerate(form.names):
        if name == "observed_at":
            said[number] = _time(said[number])
        elif name == "hints":
            said[number] = {"idempotentHint": said[number]}
        elif name in ("key_ttl_s", "settle_after_s"):
            plain = plain and not isinstance(said[number], float)
    whole = orjson.dumps(dict(zip(form.names, said, strict=True))) if plain else _by_the_core(fact)
    if form.operation is not None:
        del said[form.operation]
    for place in form.hashes:
        if said[place] is not None:
            said[place] = _short(said[place])
    return whole, orjson.dumps((form.letters, *said))


def spelled(packed: bytes) -> dict[str, object]:
    """The record again, without the operation's id. ValueError or KeyError for what was not packed here."""
    letters, *values = orjson.loads(packed)
    record = {_FIELDS[letter]: value for letter, value in zip(letters, values, strict=True)}
    for name in _HASHES:
        if isinstance(value := record.get(name), str):
            record[name] = _long(value)
    return record


def _by_the_core(fact: Fact | Gap) -> bytes:
    """Numbers with a fraction are spelled unlike by the two writers of JSON; the core's spelling is the name."""
    return canonical(fact).encode("utf-8", "surrogatepass")


def _time(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, _SECOND)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{_second(seconds)}{fraction}Z"


@lru_cache(maxsize=1_024)
def _second(seconds: int) -> str:
    return rfc3339(seconds * _SECOND)[:-1]


@lru_cache(maxsize=8_192)
def _short(text: str) -> str:
    """A hash in two thirds of its length; any other text as it is. Remembers 8,192: an attempt repeats its intent's."""
    match = _HASH.fullmatch(text)
    if match is not None:
        return _MARKS[match[1]] + b2a_base64(bytes.fromhex(match[2]), newline=False)[:43].decode()
    return "!" + text if text.startswith(_MARKED) else text


def _long(text: str) -> str:
    if not text.startswith(_MARKED):
        return text
    mark, rest = text[0], text[1:]
    return rest if mark == "!" else _SCHEMES[mark] + a2b_base64(rest + "=").hex()


def _kind(name: str, cls: type[Fact] | type[Gap]) -> _Kind:
    own = [each.name for each in fields(cls)]
    spelled_as = {**_SPELLED, **({"payload_hash": "matches_payload_hash"} if cls is Effect else {})}
    return _Kind(
        kind=name,
        names=tuple(spelled_as.get(each, each) for each in own),
        values=attrgetter(*own),
        unsaid=tuple(_unsaid(cls, each) for each in own),
    )


def _unsaid(cls: type[Fact] | type[Gap], name: str) -> object:
    """The value that says nothing. An attempt's null key is "none", and a look's null reference "not named"."""
    if cls is Attempt and name in ("idempotency_key", "key_scope"):
        return FROM_INTENT
    return _ALWAYS_SAID if cls is Effect and name == "effect_ref" else None


def _kinds(kinds: Sequence[tuple[str, type[Fact] | type[Gap]]]) -> dict[type[Fact | Gap], _Kind]:
    return {cls: _kind(name, cls) for name, cls in kinds}


_KINDS = _kinds([*KINDS.items()])
