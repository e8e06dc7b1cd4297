"""Recorded retries of real HTTP clients: what is known of their keys, with and without the header captured."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.auditing.judging import judgements
from counterfoil.auditing.sources import sources
from counterfoil.auditing.taking_in import take_in
from counterfoil.config import CAPTURE, Config
from counterfoil.judge import Judgement
from counterfoil.verdicts import Finding, Reason
from tests.histories.recorded import FOLDER

CAPTURED, _ = Config.load({f"{CAPTURE}REQUEST": "idempotency-key"})
KEYLESS = sorted(FOLDER.glob("*-new/retried-without-a-key.otlp.json"))
KEYED = sorted(FOLDER.glob("*-*/retried.otlp.json"))


def judged(path: Path, config: Config | None = None) -> Judgement:
    (one,) = judgements(take_in(sources([str(path)]), config))
    return one


@pytest.mark.parametrize("path", KEYLESS, ids=lambda path: path.parent.name)
def test_a_retry_without_a_key_is_a_finding_where_the_header_was_captured(path: Path) -> None:
    assert judged(path, CAPTURED).verdict is Finding.UNSAFE_RETRY
    assert judged(path).reason is Reason.TELEMETRY_GAP
    assert judged(path).findings == ()


@pytest.mark.parametrize("path", KEYED, ids=lambda path: path.parent.name)
def test_a_retry_under_its_key_is_none(path: Path) -> None:
    for config in (None, CAPTURED):
        assert judged(path, config).findings == ()
        assert len({dispatch.key for dispatch in judged(path, config).operation.dispatches} - {None}) == 1


def test_there_are_such_recordings() -> None:
    assert len(KEYLESS) == 4
    assert len(KEYED) == 10
