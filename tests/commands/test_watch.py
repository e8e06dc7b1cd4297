"""`counterfoil watch` in a process of its own: on a terminal that is one, and where its output is a pipe."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from counterfoil.ledger import open_ledger
from counterfoil.testing import story

WITHIN_S = 60
COMMAND = [sys.executable, "-m", "counterfoil", "watch", "--every", "0.1", "--ledger"]
SHOW_CURSOR, LEAVE_SCREEN = b"\x1b[?25h", b"\x1b[?1049l"


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/ledger.db"
    learns(url, "intent pay op=order-1; attempt timeout op=order-1")
    return url


def learns(url: str, text: str) -> None:
    ledger = open_ledger(url)
    ledger.add(story(text), due=0)
    ledger.close()


class OnTerminal:
    """A process whose output is a terminal, and what was written there."""

    def __init__(self, *words: str) -> None:
        self._ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
        self.process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        self.written = b""

    def until(self, wanted: Callable[[bytes], bool]) -> None:
        """Read until something is there, or until the process has ended."""
        give_up = time.monotonic() + WITHIN_S
        while not wanted(self.written):
            assert time.monotonic() < give_up, self.written[-2_000:]
            if select.select([self._ours], [], [], 0.2)[0]:
                try:
                    self.written += os.read(self._ours, 65_536)
                except OSError:  # its last end of the terminal is closed
                    break
        assert wanted(self.written), self.written[-2_000:]

    def ends_after(self, sent: signal.Signals) -> int:
        self.process.send_signal(sent)
        self.until(lambda written: LEAVE_SCREEN in written and SHOW_CURSOR in written)
        return self.process.wait(WITHIN_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda sent: sent.name)
def test_on_a_terminal_it_follows_the_ledger_and_leaves_the_screen_as_it_was(ledger: str, sent: signal.Signals) -> None:
    watching = OnTerminal(*COMMAND, ledger)
    try:
        watching.until(lambda written: b"order-1" in written)
        learns(ledger, "intent pay op=order-2; receipt pay_1 op=order-2; receipt pay_2 op=order-2")
        watching.until(lambda written: b"order-2" in written and b"duplicate_effect" in written)
        assert watching.ends_after(sent) == 0
    finally:
        watching.close()


def test_once_on_a_terminal_leaves_its_picture_there(ledger: str) -> None:
    watching = OnTerminal(*COMMAND, ledger, "--once")
    try:
        assert watching.process.wait(WITHIN_S) == 0
        watching.until(lambda written: b"order-1" in written)
        assert LEAVE_SCREEN not in watching.written
    finally:
        watching.close()


def test_into_a_pipe_it_writes_a_line_for_each_look_that_differs(ledger: str) -> None:
    with subprocess.Popen([*COMMAND, ledger], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("Z 1 open: 1 indeterminate\n")
        learns(ledger, "intent pay op=order-2; attempt timeout op=order-2")
        assert process.stdout.readline().endswith("Z 2 open: 2 indeterminate\n")
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=WITHIN_S)
    assert (process.returncode, rest, errors) == (0, "", "")


def test_once_into_a_pipe_is_one_line_without_colours(ledger: str) -> None:
    done = subprocess.run([*COMMAND, ledger, "--once"], capture_output=True, text=True, timeout=WITHIN_S, check=True)
    assert done.stdout.count("\n") == 1
    assert "\x1b" not in done.stdout


def test_a_ledger_that_is_not_there_is_a_mistake_in_usage(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, f"sqlite:///{tmp_path}/none.db"], capture_output=True, timeout=WITHIN_S, check=False
    )
    assert done.returncode == 2
