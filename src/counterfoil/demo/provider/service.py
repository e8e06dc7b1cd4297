"""What the provider does with one request: deduplicate, meet the planned fault, commit, answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from counterfoil.demo.provider.faults import Fault, Plans
from counterfoil.demo.provider.truth import DROPPED, HELD, PREFIXES, QUEUED, BookOfTruth, Object

HOLD_AT_MOST_S = 60.0
"""So long a held request waits to be released, in seconds; then its connection closes and nothing is done."""

WRONG_PROJECT = "triage"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer: JSON, with headers if there is something to say in them."""

    status: int
    body: Mapping[str, object]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for. ``payload`` is the body as canonical JSON; ``key`` is None where none counts."""

    resource: str
    reference: str
    key: str | None
    payload: str


class HangUp(Exception):
    """The connection closes without an answer."""


class Service:
    """The provider, apart from its HTTP. Safe for threads: the book is read and written under one lock."""

    def __init__(self, book: BookOfTruth) -> None:
        self.plans = Plans()
        self._book = book
        self._lock = threading.Lock()

    def create(self, resource: str, key: str | None, body: Mapping[str, object]) -> Answer:
        """Make one object, once per key. Raises `HangUp` where the plan says that the answer is lost."""
        if resource not in PREFIXES or not isinstance(reference := body.get("reference"), str):
            return Answer(400, _error("bad_request", "a payment, a ticket or a mail needs a reference"))
        fault, plan = self.plans.meet(reference)
        payload = json.dumps(body, sort_keys=True)
        with self._lock:
            self._book.note(resource, reference, key, payload)
            if fault is Fault.LOSE_REQUEST:
                raise HangUp
            request = Request(resource, reference, None if plan.ignores_keys else key, payload)
            if known := self._known(request):
                return known
            self._remember(request, None)
        if fault is Fault.HOLD and not plan.released.wait(HOLD_AT_MOST_S):
            raise HangUp
        answer = self._commit(request, fault)
        plan.caught_up.set()
        if fault is Fault.LOSE_RESPONSE:
            raise HangUp
        return answer

    def held(self, resource: str, reference: str) -> Answer:
        """The authoritative look: all that is held for a reference, read from the book itself. Promises don't count."""
        with self._lock:
            objects = [o for o in self._book.objects(resource, reference) if o.state == HELD]
        return Answer(200, {"count": len(objects), "objects": [_as_json(o) for o in objects]})

    def _known(self, request: Request) -> Answer | None:
        """The answer to a key that was used before."""
        before = self._book.remembered(request.resource, request.key) if request.key is not None else None
        if before is None:
            return None
        if before.payload != request.payload:
            return Answer(422, _error("idempotency_key_reused", "this key came with another payload before"))
        if before.status is None:
            return Answer(409, _error("idempotency_key_in_use", "the first request under this key is still in flight"))
        return Answer(before.status, before.body, {"Idempotent-Replayed": "true"})

    def _remember(self, request: Request, answer: Answer | None) -> None:
        """Keep what a key was used for, and the answer once there is one."""
        if request.key is not None:
            status = None if answer is None else answer.status
            body = {} if answer is None else answer.body
            self._book.remember(request.resource, request.key, request.payload, status, body)

    def _commit(self, request: Request, fault: Fault) -> Answer:
        body: dict[str, object] = json.loads(request.payload)
        if fault is Fault.MISROUTE:
            body["project"] = WRONG_PROJECT
        state = {Fault.DROP: DROPPED, Fault.PEND: QUEUED}.get(fault, HELD)
        with self._lock:
            if fault is Fault.EMPTY:
                answer = Answer(200, {})
            else:
                made = self._book.make(request.resource, request.reference, state, body)
                answer = Answer(202 if request.resource == "mail" else 201, _as_json(made))
            self._remember(request, answer)
        return answer


def _as_json(made: Object) -> dict[str, object]:
    """An object as its maker shows it. A mail that will be dropped looks like any other."""
    shown = {"id": made.id, **made.body}
    return shown | {"status": "queued"} if made.resource == "mail" else shown


def _error(code: str, message: str) -> dict[str, object]:
    return {"error": {"code": code, "message": message}}
