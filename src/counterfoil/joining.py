"""Which facts are views of one attempt: by its id, by the activity or the call that they show, or as its replay."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.facts import Attempt
from counterfoil.records import in_order


def by_attempt(attempts: Sequence[Attempt]) -> list[list[Attempt]]:
    """The views of each attempt, in order; the attempts in the order in which they were first seen."""
    by_id: dict[str, list[Attempt]] = {}
    for attempt in in_order(attempts):
        by_id.setdefault(attempt.attempt_id, []).append(attempt)
    parts = list(by_id.values())
    if any(a.dispatch_ref is not None for a in attempts):
        parts = _joined_by_dispatch(parts)
    if len({a.scope for a in attempts}) > 1:
        parts = _paired_across_scopes(parts)
    if any(a.replay for a in attempts):
        parts = _replays_joined(parts)
    return parts


def _joined_by_dispatch(parts: list[list[Attempt]]) -> list[list[Attempt]]:
    """One activity of a durable engine is one attempt, under however many names it was seen."""
    first_with: dict[str, int] = {}
    same_as = list(range(len(parts)))  # the number of another part of the same attempt; its own, for one of them

    def one_of(number: int) -> int:
        while same_as[number] != number:
            same_as[number] = number = same_as[same_as[number]]
        return number

    for number, part in enumerate(parts):
        for view in part:
            if view.dispatch_ref is not None:
                same_as[one_of(number)] = one_of(first_with.setdefault(view.dispatch_ref, number))
    joined: dict[int, list[Attempt]] = {}
    for number, part in enumerate(parts):
        joined.setdefault(one_of(number), []).extend(part)
    return _by_first_view([in_order(views) for views in joined.values()])


def _paired_across_scopes(parts: list[list[Attempt]]) -> list[list[Attempt]]:
    """Two instrumentations of one call: the first seen by one is the first seen by the other, and so on.

    Pairing in order, instead of joining all that share the call's id, keeps two attempts two.
    """
    paired: dict[object, list[Attempt]] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for part in parts:
        view = part[0]
        name: object = id(part)
        if view.tool_call_id is not None and view.run_id is not None and view.scope is not None:
            rank = seen[view.scope, view.tool_call_id, view.run_id] = (
                seen.get((view.scope, view.tool_call_id, view.run_id), 0) + 1
            )
            name = (view.tool_call_id, view.run_id, rank)
        paired.setdefault(name, []).extend(part)
    return _by_first_view([in_order(part) for part in paired.values()])


def _replays_joined(parts: list[list[Attempt]]) -> list[list[Attempt]]:
    """A replay is the newest earlier attempt seen again; with none before it, it stands as one."""
    standing: list[list[Attempt]] = []
    for part in parts:
        if standing and all(view.replay for view in part):
            standing[-1].extend(part)
        else:
            standing.append(list(part))
    return standing


def _by_first_view(parts: list[list[Attempt]]) -> list[list[Attempt]]:
    place = {id(view): n for n, view in enumerate(in_order(view for part in parts for view in part))}
    return sorted(parts, key=lambda part: min(place[id(view)] for view in part))
