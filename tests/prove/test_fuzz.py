"""The fuzzer finds nothing within seconds, and would find what is there."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from counterfoil.auditing import taking_in
from counterfoil.receipts import Receipt, sign
from prove.fuzz.__main__ import NAMES, held, seeded
from prove.fuzz.promises import PROMISES, SECRET, Broken, audited, receipt_checked


def test_every_promise_can_be_asked_for_by_name() -> None:
    assert tuple(PROMISES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_no_input_that_a_guided_search_makes_breaks_a_promise(name: str) -> None:
    assert held(name, seconds=3, seed=7)


def test_a_receipt_that_passes_is_told() -> None:
    good = sign(Receipt(operation_id="op-1", payload_hash="sha256:a", effect_ref="x"), SECRET)
    with pytest.raises(Broken, match="forged"):
        receipt_checked(orjson.dumps(good))


def test_a_reader_that_breaks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit itself goes on, as it should; the fuzzer must not."""

    def broken(record: object) -> object:
        raise KeyError("planted")

    monkeypatch.setattr(taking_in, "form_of", broken)
    with pytest.raises(Broken, match="KeyError"):
        audited(b'{"kind":"intent","operation_id":"op-1","observed_at":"2026-01-01T00:00:00Z"}\n')


def test_it_begins_with_evidence_of_the_repository(tmp_path: Path) -> None:
    seeded(tmp_path, ("tests/cases/*.ndjson",))
    assert any(b'"effect"' in path.read_bytes() for path in tmp_path.iterdir())
