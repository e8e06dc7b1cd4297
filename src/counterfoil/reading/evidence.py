"""Evidence records, version 1: one JSON object is one fact.

What can't be read is not used at all: half a record could be half an accusation. `Unusable` says what was wrong, and
which operation it was about if that much could be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import cast

from counterfoil.facts import Fact, Gap
from counterfoil.packed import Form, Packed, form, unpack
from counterfoil.reading.kinds import KINDS, Read, RecordKind
from counterfoil.reading.values import MAX_TEXT, text

Record = Mapping[str, object]

MAX_FORMS = 4_096
"""So many different sets of names are remembered with how to read them."""

_OPERATION = "operation_id"


class Unusable(ValueError):
    """A record that can't be used: ``what`` was wrong with it, and the operation that it was about, if known."""

    def __init__(self, what: str, operation_id: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.operation_id = operation_id


def fact_from(record: Record) -> Fact | Gap:
    """The fact that a record states. Raises `Unusable`; a histories' record is for another reader."""
    return unpack(*form_of(record).read(record))


def unlisted(record: Record) -> int:
    """How many fields of a record no reader of its kind knows. They are ignored."""
    return len(record) - form_of(record).listed


def operation_id_of(record: Record) -> str | None:
    """The operation that a record names, if it names one."""
    name = record.get("operation_id", record.get("operationId"))
    try:
        return text(name)
    except ValueError:
        return None


def form_of(record: Record) -> RecordForm:
    """How to read records with these names, worked out once. Raises `Unusable`: an unknown kind is skipped, and
    says nothing of the operation that it names."""
    kind = record.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Unusable("unknown kind")
    names = (kind, *record)
    known = _FORMS.get(names)
    if known is None:
        known = _record_form(KINDS[kind], tuple(filter(KINDS[kind].fields.__contains__, record)))
        if len(_FORMS) < MAX_FORMS and sum(map(len, names)) < MAX_TEXT:  # strangers' fields may be many, and long
            _FORMS[names] = known
    return known


@dataclass(frozen=True, slots=True)
class RecordForm:
    """The names of a record that a fact knows, and the readers that its values go through.

    ``constants`` stand for what such a record leaves out. A field that is given under two of its names is read from
    the last; ``checked`` are the others, which have to be readable too.
    """

    form: Form
    pick: Callable[[Record], tuple[object, ...]]  # the values of the form's names, then the operation's id
    readers: tuple[Read, ...]
    constants: tuple[object, ...]
    checked: tuple[tuple[str, Read], ...]
    missing: str | None
    listed: int

    def read(self, record: Record) -> tuple[str | None, Packed]:
        """The operation's id (None for a gap) and what the record says of it. Raises `Unusable`."""
        try:
            if self.missing is not None:
                raise ValueError(f"{self.missing} is missing")
            for name, read in self.checked:
                read(record[name])
            said = [read(value) for read, value in zip(self.readers, self.pick(record), strict=True)]
            operation_id = None if self.form.kind is Gap else cast(str, said.pop())
            return operation_id, (self.form, *said, *self.constants)
        except TypeError:
            raise Unusable("a value of the wrong type", operation_id_of(record)) from None
        except (ValueError, OverflowError) as wrong:
            raise Unusable(str(wrong), operation_id_of(record)) from None


_FORMS: dict[tuple[str, ...], RecordForm] = {}
"""By a record's kind and its names, as they stand in it."""


@lru_cache(maxsize=MAX_FORMS)
def _record_form(kind: RecordKind, names: tuple[str, ...]) -> RecordForm:
    last = {kind.fields[name][0]: name for name in names}
    constants = kind.constants(names)
    said = [name for name in kind.type.__dataclass_fields__ if name in last and name != _OPERATION]
    named = () if kind.type is Gap else (_OPERATION,)
    picked = [last[name] for name in (*said, *named) if name in last]
    return RecordForm(
        form=form(kind.type, (*said, *constants)),  # type: ignore[arg-type]  # a type is hashable
        pick=itemgetter(*picked) if len(picked) > 1 else lambda record: (),
        readers=tuple(kind.fields[name][1] for name in picked),
        constants=tuple(constants.values()),
        checked=tuple((name, kind.fields[name][1]) for name in names if name not in picked),
        missing=next((name for name in (*named, *kind.required) if name not in {**last, **constants}), None),
        listed=len(names) + 1,  # the kind
    )
