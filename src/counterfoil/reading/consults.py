"""Consultations: an agent asked an advisor. That costs money and changes nothing, so it is no operation's evidence.

Local ones are calls of the tool ``advisor`` in a run that has the harness's `Advisor`, as the request to the model, the
advisor's own run, or the capability says; a tool of the user's that is merely named so is none. Native ones stand in
the model's answer. What was asked and answered is not read. Where a content-free span leaves open how one ended, its
result is ``unknown``, and nobody is accused of having asked no one.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from opentelemetry.trace import StatusCode

from counterfoil.facts import Reported
from counterfoil.reading import genai
from counterfoil.reading.calls import Call
from counterfoil.reading.failures import exceptions
from counterfoil.reading.own import Own
from counterfoil.reading.tree import Open, Run
from counterfoil.reading.views import Ids, SpanView

ADVISOR = "advisor"
"""The name of the tool, native or local, and of the agent that answers a local one."""

LIMIT = "Advisor consultation limit reached"
"""How the harness's answer to one past ``max_uses`` begins."""

MAX_KEPT = 1_000
"""So many consultations wait to be told; of more, the newest are not told of."""

MAX_REMEMBERED = 4_000
"""So many calls are remembered, to tell a replayed consultation from the first."""

MAX_TEXT = 4_000_000
"""The longest answer of a model that is looked through, in characters."""

_HAS = re.compile(r'"capability_id": ?"advisor"')
_NATIVE = re.compile(r'"builtin": ?true')


class Result(StrEnum):
    """How a consultation ended."""

    ANSWERED = "answered"
    EXHAUSTED = "exhausted"  # past max_uses: nobody was asked
    INVALID = "invalid"  # the advisor's answer could not be used
    FAILED = "failed"
    REPLAYED = "replayed"  # the same call was made again, and paid for again
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consult:
    """One consultation. ``provider`` and ``model`` received the prompt; None where that was not seen.

    ``history_forwarded`` is None for a native one: the provider has the conversation anyway.
    """

    ids: Ids
    at: int
    mode: str
    result: str
    provider: str | None = None
    model: str | None = None
    history_forwarded: bool | None = None
    conversation_id: str | None = None
    agent: str | None = None


@dataclass(slots=True)
class Consults:
    """Reads them as spans end, and keeps them until they are taken. ``spilled`` counts those that found no room."""

    kept: list[Consult] = field(default_factory=list)
    spilled: int = 0
    _seen: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def take(self) -> list[Consult]:
        """Those since the last time."""
        taken, self.kept = self.kept, []
        return taken

    def ended(self, span: SpanView, node: Open, said: Own, ended_at: int) -> None:
        """Look at a span that ended, before it is read into facts: a consultation is said to have no side effect."""
        call, run = node.call, node.run
        if node.own_call and call is not None:
            if said.consult_result is not None or (call.name == ADVISOR and _is_local(call, run)):
                self._local(span, call, run, said, ended_at)
        elif run is not None and node.is_run:
            _answered(span, run)
        elif run is not None and genai.is_model_request(span):
            _routed(span, run)
            for one in _native(span, ended_at):
                run.advised = run.advised or one.result == Result.ANSWERED
                self._keep(one)

    def _local(self, span: SpanView, call: Call, run: Run | None, said: Own, ended_at: int) -> None:
        route, made = call.route, call.tool
        result = said.consult_result or _result(span, call)
        if run is not None and call.name == ADVISOR:
            run.advised = run.advised or result in (Result.ANSWERED, Result.REPLAYED)
            run.unclear = run.unclear or result == Result.UNKNOWN
        if call.name == ADVISOR:
            call.said = Own(side_effect=False).over(call.said)
            call.advice = None
        if made is not None and made.call_id is not None and self._is_again(f"{made.conversation_id} {made.call_id}"):
            result = Result.REPLAYED
        self._keep(
            Consult(
                ids=call.ids,
                at=ended_at,
                mode=said.consult_mode or "local",
                result=result,
                provider=said.consult_provider or (route.provider if route else None),
                model=said.consult_model or (route.model if route else None),
                history_forwarded=said.history_forwarded
                if said.history_forwarded is not None
                else (route.forwarded if route else None),
                conversation_id=made.conversation_id if made else None,
                agent=made.agent if made else None,
            )
        )

    def _is_again(self, name: str) -> bool:
        known = name in self._seen
        self._seen[name] = None
        if len(self._seen) > MAX_REMEMBERED:
            self._seen.popitem(last=False)
        return known

    def _keep(self, one: Consult) -> None:
        if len(self.kept) < MAX_KEPT:
            self.kept.append(one)
        else:
            self.spilled += 1


def _is_local(call: Call, run: Run | None) -> bool:
    return call.route is not None or (run is not None and run.has_advisor)


def _result(span: SpanView, call: Call) -> Result:
    """From how the tool's span ended, and from whether an advisor's run lies below it."""
    end, answer = genai.tool_end(span), genai.result_of(span)
    if end.reported is Reported.ERROR or span.status.status_code is StatusCode.ERROR:
        asked_again = (span.attributes or {}).get("pydantic_ai.tool.retry.cause") == "model_retry"
        return Result.INVALID if asked_again or (call.route is not None and call.route.invalid) else Result.FAILED
    if isinstance(answer, str) and answer.lstrip('"').startswith(LIMIT):
        return Result.EXHAUSTED
    return Result.ANSWERED if call.route is not None or answer is not None else Result.UNKNOWN


def _answered(span: SpanView, run: Run) -> None:
    """The advisor's own run ended: whether it had more before it than the question, and whether it could be used."""
    if run.route is None:
        return
    index = (span.attributes or {}).get("pydantic_ai.new_message_index")
    if isinstance(index, int) or "pydantic_ai.all_messages" in (span.attributes or {}):
        run.route.forwarded = isinstance(index, int) and index > 0  # it is left out where nothing came before
    run.route.invalid = any(said.endswith("UnexpectedModelBehavior") for _, said in exceptions(span))


def _routed(span: SpanView, run: Run) -> None:
    """A request to a model ended: whether the run has an advisor, and who received an advisor's prompt."""
    attributes = span.attributes or {}
    if not run.has_advisor:
        parameters = attributes.get("model_request_parameters")
        run.has_advisor = isinstance(parameters, str) and _HAS.search(parameters) is not None
    if run.route is not None:
        run.route.provider = genai.said(attributes, "gen_ai.provider.name") or run.route.provider
        run.route.model = genai.said(attributes, "gen_ai.request.model") or run.route.model


def _native(span: SpanView, ended_at: int) -> Iterator[Consult]:
    """Consultations in the model's own answer. One that came back with an answer was answered."""
    attributes = span.attributes or {}
    text = attributes.get("gen_ai.output.messages")
    if span.context is None or not isinstance(text, str) or len(text) > MAX_TEXT or _NATIVE.search(text) is None:
        return
    parts = [part for part in _parts(text) if part.get("builtin") is True and part.get("name") == ADVISOR]
    answers = {str(part.get("id")) for part in parts if part.get("type") == "tool_call_response"}
    known = Consult(
        ids=span.context,
        at=ended_at,
        mode="native",
        result=Result.FAILED,
        provider=genai.said(attributes, "gen_ai.provider.name"),
        model=_native_model(attributes.get("model_request_parameters")),
        conversation_id=genai.said(attributes, genai.CONVERSATION_ID),
        agent=genai.said(attributes, genai.AGENT),
    )
    for part in parts:
        if part.get("type") == "tool_call":
            yield replace(known, result=Result.ANSWERED if str(part.get("id")) in answers else Result.FAILED)


def _parts(text: str) -> Iterator[dict[str, object]]:
    for message in _list(_document(text)):
        if isinstance(message, dict):
            yield from (part for part in _list(message.get("parts")) if isinstance(part, dict))


def _native_model(parameters: object) -> str | None:
    known = _document(parameters) if isinstance(parameters, str) and '"advisor"' in parameters else None
    tools = _list(known.get("native_tools")) if isinstance(known, dict) else []
    named = (tool.get("model") for tool in tools if isinstance(tool, dict) and tool.get("kind") == ADVISOR)
    return next((model for model in named if isinstance(model, str)), None)


def _document(text: str) -> object:
    try:
        return json.loads(text) if len(text) <= MAX_TEXT else None
    except (ValueError, RecursionError):
        return None


def _list(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else []
