"""What a ready-made probe asks with, and what it makes of what it read."""

from __future__ import annotations

from collections.abc import Iterable

import jmespath
from jmespath.exceptions import JMESPathError

from counterfoil.config import ProbeConfig
from counterfoil.probing.question import Answer, CannotTell, Question


class Unknown(LookupError):
    """Something to ask with is not known of the operation."""


def asked_with(question: Question, places: Iterable[str]) -> dict[str, str]:
    """The values for these places. Raises `Unknown`: one that is missing, or that there are several of, is guessed at
    by nobody."""
    known: dict[str, tuple[str, ...]] = {
        "key": () if question.key is None else (question.key,),
        "operation_id": (question.operation_id,),
        "ref": question.refs,
        "intent_ref": question.intent_refs,
        "request_hash": () if question.request_hash is None else (question.request_hash,),
    }
    values: dict[str, str] = {}
    for place in places:
        if len(known[place]) != 1:
            raise Unknown(f"{'no' if not known[place] else 'more than one'} {place} is known to ask with")
        values[place] = known[place][0]
    return values


def answer_from(config: ProbeConfig, read: object) -> Answer | CannotTell:
    """What ``found`` and ``count`` find in it. An empty list and a count of 0 mean that there is nothing; that nothing
    stands at the place means nothing: an answer of another shape is no absence."""
    refs: tuple[str, ...] = ()
    try:
        if config.found is not None:
            found = jmespath.search(config.found, read)
            found = [found] if isinstance(found, str) else found
            if not isinstance(found, list) or not all(isinstance(ref, str | int) for ref in found):
                return CannotTell("the answer has no text, and no list of texts, at the place that found names")
            refs = tuple(str(ref) for ref in found)
        count = None if config.count is None else jmespath.search(config.count, read)
    except (JMESPathError, ArithmeticError, TypeError, ValueError, RecursionError):
        return CannotTell("the answer has another shape than found or count expect")
    if config.count is not None and (not isinstance(count, int) or isinstance(count, bool)):
        return CannotTell("the answer has no whole number at the place that count names")
    return Answer(refs=refs, count=count, authoritative=config.authoritative, read=read)
