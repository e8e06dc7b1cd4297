"""What goes wrong, planned by a story for a reference. The agent's code knows nothing of it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Fault(StrEnum):
    """What happens to one request. The requests of a reference meet its faults in order of arrival."""

    NONE = "none"
    LOSE_REQUEST = "lose_request"  # the connection closes before anything is done
    LOSE_RESPONSE = "lose_response"  # the connection closes after it is done
    HOLD = "hold"  # done only when the story releases it, long after the client has gone
    EMPTY = "empty"  # 200, and nothing done
    DROP = "drop"  # 202, and never done
    PEND = "pend"  # 202, and not done yet
    MISROUTE = "misroute"  # done, in a project that nobody asked for


@dataclass(slots=True)
class Plan:
    """The faults of one reference. ``ignores_keys``: the provider doesn't deduplicate here, whatever it promises."""

    faults: deque[Fault] = field(default_factory=deque)
    ignores_keys: bool = False
    released: threading.Event = field(default_factory=threading.Event)
    caught_up: threading.Event = field(default_factory=threading.Event)  # something is done

    def next(self) -> Fault:
        return self.faults.popleft() if self.faults else Fault.NONE


class Plans:
    """Every story's plan, by reference. Safe for threads; as many as there are stories, never dropped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plans: dict[str, Plan] = {}

    def lay(self, reference: str, faults: Iterable[str], *, ignores_keys: bool) -> None:
        """Plan for a reference. Raises `ValueError` for a word that is no fault."""
        plan = Plan(deque(Fault(fault) for fault in faults), ignores_keys)
        with self._lock:
            self._plans[reference] = plan

    def meet(self, reference: str) -> tuple[Fault, Plan]:
        """The fault of the request that has just arrived."""
        with self._lock:
            plan = self._plans.setdefault(reference, Plan())
            return plan.next(), plan

    def release(self, reference: str, patience_s: float) -> bool:
        """Let what is held for a reference be done, and wait until it is. False when it took longer, in seconds."""
        with self._lock:
            plan = self._plans.setdefault(reference, Plan())
        plan.released.set()
        return plan.caught_up.wait(patience_s)
