"""Pages of stories, and a browser to look at them in, or what was left out without one."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest

from counterfoil.auditing.told import Told, told
from counterfoil.config import Config
from counterfoil.drawing.page import audit_page, operation_page
from counterfoil.drawing.summary import Summary
from counterfoil.evidence import fold
from counterfoil.facts import Fact, Gap
from counterfoil.judge import judge_all
from counterfoil.testing import story
from tests.real.programs import REQUIRE
from tools.chromium import NoBrowser, find

START = 1_767_225_600
NOW = (START + 86_400) * 1_000_000_000

CHARGED_TWICE = f"""
    intent charge_card key=k1 payload=A at={START}
    attempt started id=a1 key=k1 payload=A started_only at={START}.2
    attempt timeout id=a1 key=k1 payload=A at={START + 30}
    attempt started id=a2 key=k2 payload=A started_only at={START + 32}
    attempt 200 id=a2 key=k2 payload=A at={START + 32}.8
    receipt pay_2 at={START + 32}.9
    claim success by=agent at={START + 34}
    webhook pay_1 at={START + 430}
    probe 2 at={START + 3630}
    human 2 at={START + 9000}
"""
AT_ONCE = f"""
    intent create_ticket at={START}
    attempt started id=a1 started_only at={START + 1}
    attempt started id=a2 started_only at={START + 2}
    attempt started id=a3 started_only at={START + 3}
    attempt 503 id=a2 at={START + 10}
    attempt 200 id=a3 at={START + 11}
    receipt a-reference-that-is-much-longer-than-there-is-room-for-in-any-drawing at={START - 600}
    probe 1 authoritative=false at={START + 300}
"""
STORM = f"intent send at={START};" + ";".join(f"attempt 503 id=a{n} at={START + n}" for n in range(1, 200))


def judged(text: str, *more: Fact | Gap, now: int = NOW) -> list[Told]:
    facts = [*story(text), *more]
    return [told(judgement, now, Config()) for judgement in judge_all(fold(facts)).values()]


def page_of(text: str, *more: Fact | Gap) -> str:
    return operation_page(judged(text, *more)[0], NOW)


def audit_of(operations: Iterable[Told]) -> str:
    summary = Summary()
    for _ in summary.passing(operations):
        pass
    return audit_page(summary, NOW)


def require_browser() -> None:
    """Skips the test where there is no Chromium, or fails it where CI has built all."""
    try:
        find()
    except NoBrowser as missing:
        if "panels" in os.environ.get(REQUIRE, "").split(","):
            pytest.fail(f"{REQUIRE} names panels, but {missing}", pytrace=False)
        pytest.skip(f"left out: {missing}")
