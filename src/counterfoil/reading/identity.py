"""How an operation is named when nobody declared a name for it.

The name is made from what survives a restart, a resume and another host: the conversation, the tool call in it, and
the hash of its request. Never the run: a resume makes a new one. It may still not be unique, because models reuse call
ids; whoever uses it says with ``id_source`` that nobody declared it, so that the judge can tell.
"""

from __future__ import annotations

import hashlib
import re

import orjson

DERIVED = "derived"
"""What every name that is made here begins with."""

_NO_ID = frozenset({"", "unknown", "none", "null", "undefined", "n/a"})
_NOT_SPECIFIED = re.compile(r"<.*>", re.DOTALL)


def derived_operation_id(conversation_id: str | None, tool_call_id: str | None, request_hash: str | None) -> str | None:
    """The name of the operation behind one tool call; None where the conversation or the call has no id.

    Without a request hash (content is off) two requests under one call id get one name. ``request_hash`` is of the
    arguments as the model sent them, as `counterfoil.reading.hashing.payload_hash` makes it: with a secret here and
    without one there, names differ.
    """
    if not is_id(conversation_id) or not is_id(tool_call_id):
        return None
    parts = [conversation_id, tool_call_id, request_hash]
    try:
        return f"{DERIVED}:{hashlib.sha256(orjson.dumps(parts)).hexdigest()[:32]}"
    except TypeError:  # a lone surrogate has no form in JSON
        return None


def is_id(value: str | None) -> bool:
    """Whether this names something. Emitters without an id write a word for it instead."""
    return value is not None and value.strip().lower() not in _NO_ID and not _NOT_SPECIFIED.fullmatch(value.strip())
