"""The same few words for code that is no Pydantic AI tool: what is meant, and what the target named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry import baggage

from counterfoil import current_operation
from counterfoil.ledger import open_ledger
from counterfoil.ledger.looking import look_up
from counterfoil.stating import operation
from counterfoil.waiting import waiting_of

ROOT = Path(__file__).parents[2]

START = """
import os, signal, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
import counterfoil
from counterfoil.stating import operation, record_effect, record_intent
if "traced" in sys.argv:
    provider = TracerProvider()
    trace.set_tracer_provider(provider)
    counterfoil.attach(provider)
"""


def verdict_after(
    body: str, tmp_path: Path, *args: str, killed: bool = False, settings: str = ""
) -> tuple[str, tuple[str, ...], int]:
    """Run a program against a ledger; the verdict on `order-7`, its references, and how many intents are known."""
    ledger = f"sqlite:///{tmp_path}/ledger.db"
    config = tmp_path / "counterfoil.toml"
    config.write_text(settings, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", START + body, *args],
        cwd=ROOT,
        env={**os.environ, "COUNTERFOIL_LEDGER": ledger, "COUNTERFOIL_CONFIG": str(config)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode == 0) is not killed, done.stderr
    known = look_up(open_ledger(ledger), "order-7")
    assert known is not None
    return str(known.verdict), known.effect_refs, len(known.operation.intents)


def test_an_intent_survives_the_process_that_meant_it(tmp_path: Path) -> None:
    body = "with operation('order-7', tool='pay'):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    assert verdict_after(body, tmp_path, killed=True) == ("indeterminate", (), 1)


def test_a_wait_for_a_person_is_in_the_ledger_and_its_token_is_not(tmp_path: Path) -> None:
    body = """
from counterfoil import record_waiting
record_intent('order-7', tool='pay')
record_waiting('order-7', owner='payments on call', decision='repeat it?', within_s=3600, resume_token='secret-token')
"""
    verdict_after(body, tmp_path)
    known = look_up(open_ledger(f"sqlite:///{tmp_path}/ledger.db"), "order-7")
    assert known is not None
    waiting = waiting_of(known.operation)
    assert waiting is not None
    assert (waiting.owner, waiting.decision) == ("payments on call", "repeat it?")
    assert not any(b"secret-token" in path.read_bytes() for path in tmp_path.iterdir())
    shown = subprocess.run(
        [sys.executable, "-m", "counterfoil", "list", "--ledger", f"sqlite:///{tmp_path}/ledger.db"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "order-7 waits for payments on call to decide repeat it? until" in " ".join(shown.split())


def test_an_intent_knows_the_read_lag_that_the_settings_name(tmp_path: Path) -> None:
    settings = "[tools.pay]\nsettle_after = 60\n"
    verdict_after("with operation('order-7', tool='pay'):\n    pass\n", tmp_path, settings=settings)
    known = look_up(open_ledger(f"sqlite:///{tmp_path}/ledger.db"), "order-7")
    assert known is not None
    assert [intent.settle_after_s for intent in known.operation.intents] == [60.0]


@pytest.mark.parametrize("traced", [(), ("traced",)])
def test_a_receipt_makes_it_verified_with_spans_and_without(traced: tuple[str, ...], tmp_path: Path) -> None:
    body = "with operation('order-7', tool='pay', request={'amount': 5}) as op:\n    op.receipt('ch_1')\n"
    verdict, refs, _ = verdict_after(body, tmp_path, *traced)
    assert (verdict, refs) == ("verified_applied", ("ch_1",))


@pytest.mark.parametrize("traced", [(), ("traced",)])
def test_a_webhook_s_handler_may_tell_of_the_effect(traced: tuple[str, ...], tmp_path: Path) -> None:
    body = (
        "record_intent('order-7', tool='pay')\n"
        "for ref in ('ch_1', 'ch_2'):\n"
        "    record_effect(ref, operation_id='order-7', source='webhook')\n"
    )
    verdict, refs, _ = verdict_after(body, tmp_path, *traced)
    assert (verdict, refs) == ("duplicate_effect", ("ch_1", "ch_2"))


def test_the_operation_is_current_inside_only_and_its_name_is_in_baggage() -> None:
    with operation("order-7") as outer:
        assert current_operation() is outer
        assert baggage.get_baggage("counterfoil.operation.id") == "order-7"
        with operation("order-8") as inner:
            assert current_operation() is inner
            assert inner.idempotency_key != outer.idempotency_key
        assert current_operation() is outer
    assert current_operation() is None
    assert baggage.get_baggage("counterfoil.operation.id") is None


def test_what_the_body_raises_goes_on() -> None:
    with pytest.raises(ZeroDivisionError), operation("order-7"):
        _ = 1 / 0
    assert current_operation() is None


def test_an_event_loop_goes_on_while_an_intent_waits_for_its_ledger(tmp_path: Path) -> None:
    body = """
import asyncio, sqlite3
from counterfoil import stated_ledger
stated_ledger.PATIENCE_S = 3_600
record_intent('order-0')
other = sqlite3.connect(os.environ['COUNTERFOIL_LEDGER'].removeprefix('sqlite:///'), isolation_level=None)

async def handler():
    async with operation('order-7', tool='pay') as op:
        assert not other.in_transaction
        op.receipt('ch_1')

async def something_else():
    other.execute('ROLLBACK')

async def main():
    other.execute('BEGIN IMMEDIATE')
    await asyncio.gather(handler(), something_else())

asyncio.run(main())
"""
    assert verdict_after(body, tmp_path) == ("verified_applied", ("ch_1",), 1)


@pytest.mark.parametrize("way", ["with", "async with"])
def test_on_a_loop_it_is_current_inside_only_and_what_the_body_raises_goes_on(way: str, tmp_path: Path) -> None:
    body = f"""
import asyncio

async def handler():
    {way} operation('order-7', tool='pay') as op:
        assert counterfoil.current_operation() is op
        op.receipt('ch_1')
        raise KeyError

try:
    asyncio.run(handler())
except KeyError:
    assert counterfoil.current_operation() is None
else:
    raise SystemExit(1)
"""
    assert verdict_after(body, tmp_path) == ("verified_applied", ("ch_1",), 1)


def test_an_event_loop_does_not_wait_for_a_ledger_that_others_hold(tmp_path: Path) -> None:
    """The write goes on in a thread that is more patient than this test, and is done when the lock is gone."""
    body = """
import asyncio, sqlite3
from counterfoil import stated_ledger
stated_ledger.PATIENCE_S = 3_600
with operation('order-7', tool='pay'):
    pass
other = sqlite3.connect(os.environ['COUNTERFOIL_LEDGER'].removeprefix('sqlite:///'), isolation_level=None)

async def handler():
    other.execute('BEGIN IMMEDIATE')
    record_effect('ch_1', operation_id='order-7', source='webhook')
    assert other.in_transaction
    other.execute('ROLLBACK')

asyncio.run(handler())
"""
    assert verdict_after(body, tmp_path) == ("verified_applied", ("ch_1",), 1)


def test_on_an_event_loop_the_intent_is_on_disk_before_the_body_runs(tmp_path: Path) -> None:
    body = """
import asyncio

async def handler():
    async with operation('order-7', tool='pay'):
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(handler())
"""
    assert verdict_after(body, tmp_path, killed=True) == ("indeterminate", (), 1)


def test_what_a_held_ledger_did_not_take_is_written_at_exit(tmp_path: Path) -> None:
    body = """
import sqlite3
record_intent('order-7', tool='pay')
other = sqlite3.connect(os.environ['COUNTERFOIL_LEDGER'].removeprefix('sqlite:///'), isolation_level=None)
other.execute('BEGIN IMMEDIATE')
record_effect('ch_1', operation_id='order-7', source='webhook')
other.execute('ROLLBACK')
"""
    assert verdict_after(body, tmp_path) == ("verified_applied", ("ch_1",), 1)
