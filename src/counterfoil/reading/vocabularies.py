"""Whose words a span is in, as a table: one row a vocabulary, found by the scope that made the span.

A span of a scope that no row names is read by the GenAI conventions, which says nothing of most spans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from counterfoil.reading import adk, genai, langsmith, logfire, openinference, strands, traceloop
from counterfoil.reading.genai import ToolCall, ToolEnd
from counterfoil.reading.views import SpanView


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a reader of spans asks of one. No value that a span may hold makes an answer raise.

    ``name`` is how its facts are counted. ``arguments_of`` and ``result_of`` answer a text of JSON or an object,
    without what the emitter wraps it in, so that equal arguments have one hash whoever tells of them.
    """

    name: str
    tool_call: Callable[[SpanView], ToolCall | None]
    tool_end: Callable[[SpanView], ToolEnd]
    arguments_of: Callable[[SpanView], object]
    result_of: Callable[[SpanView], object]
    is_run: Callable[[SpanView], bool]
    is_model_request: Callable[[SpanView], bool]


def _row(name: str, words: object) -> Vocabulary:
    asked = ("tool_call", "tool_end", "arguments_of", "result_of", "is_run", "is_model_request")
    return Vocabulary(name, *(getattr(words, one, None) or getattr(genai, one) for one in asked))


GENAI = _row("genai", genai)
OPENINFERENCE = _row(openinference.NAME, openinference)
SCOPES: Mapping[str, Vocabulary] = {
    **dict.fromkeys(traceloop.SCOPES, _row(traceloop.NAME, traceloop)),
    langsmith.SCOPE: _row(langsmith.NAME, langsmith),
    logfire.SCOPE: _row(logfire.NAME, logfire),
    adk.SCOPE: _row(adk.NAME, adk),
    strands.SCOPE: _row(strands.NAME, strands),
}
"""By the whole name of a scope."""

VOCABULARIES = (GENAI, OPENINFERENCE, *dict.fromkeys(SCOPES.values()))


@lru_cache(maxsize=1_024)
def of_scope(name: object) -> Vocabulary:
    if not isinstance(name, str):
        return GENAI
    if name.startswith(openinference.PREFIX):
        return OPENINFERENCE
    return SCOPES.get(name, GENAI)


@lru_cache(maxsize=1_024)
def is_known(scope: object) -> bool:
    """Whether every span of a scope of this name is worth following: what it is may only show when it ends."""
    return of_scope(scope) is not GENAI


def of(span: SpanView) -> Vocabulary:
    """The vocabulary of a span."""
    scope = span.instrumentation_scope
    return GENAI if scope is None else of_scope(scope.name)


def tool_call(span: SpanView) -> ToolCall | None:
    """The call that a span is about, in whatever words; None for a span that is no tool's."""
    return of(span).tool_call(span)


def tool_end(span: SpanView) -> ToolEnd:
    """How a tool's span ended."""
    return of(span).tool_end(span)


def arguments_of(span: SpanView) -> object:
    """A call's arguments as they were sent; None where they were not recorded."""
    return of(span).arguments_of(span)


def result_of(span: SpanView) -> object:
    """What a tool gave back; None where it was not recorded."""
    return of(span).result_of(span)


def is_run(span: SpanView) -> bool:
    """An agent's own run: what is called in there is not called by whoever started it."""
    return of(span).is_run(span)


def is_model_request(span: SpanView) -> bool:
    """A request to a model, or another step that is neither a run nor a tool: its traffic is no effect."""
    return of(span).is_model_request(span)
