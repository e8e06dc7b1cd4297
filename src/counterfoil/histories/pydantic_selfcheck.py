"""Does the installed Pydantic AI still do what the audit of histories rests on?"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version

from counterfoil.histories.pydantic_stories import STORIES, Check, Story


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """What was seen of the installed version. ``changed``: story and sentence of all that isn't so any more."""

    version: str
    stories: int
    checks: int
    changed: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, object]:
        changed = [{"story": story, "expected": what} for story, what in self.changed]
        return {"pydantic_ai": self.version, "stories": self.stories, "checks": self.checks, "changed": changed}


def self_check(stories: Mapping[str, Story] = STORIES) -> SelfCheck:
    """Play the stories; needs no network and no key. A story that can't be played to its end has changed.

    Not from inside a running event loop.
    """
    seen = {name: asyncio.run(_played(story)) for name, story in stories.items()}
    return SelfCheck(
        version=version("pydantic-ai-slim"),
        stories=len(stories),
        checks=sum(len(checks) for checks in seen.values()),
        changed=tuple((name, what) for name, checks in seen.items() for what, held in checks if not held),
    )


async def _played(story: Story) -> list[Check]:
    checks: list[Check] = []
    try:
        async for check in story():
            checks.append(check)  # noqa: PERF401  # what was seen before an error counts
    except Exception as broken:
        checks.append((f"the story plays to its end; it stopped with {type(broken).__name__}", False))
    return checks
