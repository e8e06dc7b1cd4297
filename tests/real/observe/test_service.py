"""A server is started on free ports, waited for, stopped, and explains itself when it can't start."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tools.observe.service import Command, NotReady, free_ports, start


def serve(ports: Mapping[str, int]) -> Command:
    words = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(ports["http"])]
    return Command(words, f"http://127.0.0.1:{ports['http']}/")


def test_it_answers_when_it_is_handed_out_and_is_gone_when_it_is_stopped(tmp_path: Path) -> None:
    with start("files", tmp_path, ["http"], serve) as service:
        assert service.url("http", "/x") == f"http://127.0.0.1:{service.ports['http']}/x"
        with socket.create_connection(("127.0.0.1", service.ports["http"]), timeout=5):
            pass
    assert service.process.poll() is not None
    service.stop()


def test_a_port_that_was_taken_meanwhile_is_chosen_again(tmp_path: Path) -> None:
    with socket.socket() as other:

        def command(ports: Mapping[str, int]) -> Command:
            if other.getsockname()[1] == 0:
                other.bind(("127.0.0.1", ports["http"]))
            return serve(ports)

        with start("files", tmp_path, ["http"], command) as service:
            assert service.ports["http"] != other.getsockname()[1]


def test_a_server_that_ends_says_why(tmp_path: Path) -> None:
    def command(ports: Mapping[str, int]) -> Command:
        return Command([sys.executable, "-c", "raise SystemExit('bad flag')"], "http://127.0.0.1:1/")

    with pytest.raises(NotReady, match=r"(?s)it ended with 1.*bad flag"):
        start("broken", tmp_path, ["http"], command)


def test_ports_that_are_chosen_together_differ() -> None:
    assert len(set(free_ports(20))) == 20
