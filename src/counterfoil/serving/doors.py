"""The addresses that a judge listens on, and what is shown there to prove who it is."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass
from pathlib import Path

import grpc  # type: ignore[import-untyped]
import uvicorn
from starlette.applications import Starlette

from counterfoil.serving.limits import Limits

OFF = "off"


class DoorError(ValueError):
    """An address or a certificate can't be used: which, and the way out."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The paths of a chain and its key, in PEM."""

    chain: str
    key: str


def address(text: str) -> tuple[str, int]:
    """``host:port``; port 0 is any that is free. Raises `DoorError`."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise DoorError(f"{text!r} is no address: give host:port, such as 127.0.0.1:4318, or {OFF}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def is_for_this_machine(text: str) -> bool:
    return address(text)[0] in ("127.0.0.1", "localhost", "::1")


class WebDoor:
    """Serves HTTP from a thread of its own. Raises `DoorError` where nobody can listen."""

    def __init__(self, app: Starlette, where: str, certificate: Certificate | None, limits: Limits) -> None:
        host, port = address(where)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port), family=family, backlog=128)
        except OSError as wrong:
            raise DoorError(f"{where}: {wrong.strerror}; give --http an address that is free") from None
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=int(limits.patience_s) + 1,
            ssl_certfile=certificate.chain if certificate else None,
            ssl_keyfile=certificate.key if certificate else None,
        )
        try:
            config.load()
        except OSError as wrong:
            raise DoorError(f"the certificate can't be used: {wrong}") from None
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="counterfoil-http")

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Finish what is under way and close."""
        self._server.should_exit = True
        self._thread.join()


class RpcDoor:
    """Serves gRPC. Raises `DoorError` where nobody can listen."""

    def __init__(self, server: grpc.Server, where: str, certificate: Certificate | None, limits: Limits) -> None:
        address(where)
        self._server = server
        self._patience_s = limits.patience_s
        try:
            if certificate is None:
                self.port = server.add_insecure_port(where)
            else:
                pair = (Path(certificate.key).read_bytes(), Path(certificate.chain).read_bytes())
                self.port = server.add_secure_port(where, grpc.ssl_server_credentials([pair]))
        except OSError as wrong:
            raise DoorError(f"the certificate can't be used: {wrong}") from None
        except RuntimeError:
            self.port = 0
        if not self.port:
            raise DoorError(f"{where}: nobody can listen there; give --grpc an address that is free")

    def open(self) -> None:
        self._server.start()

    def close(self) -> None:
        self._server.stop(self._patience_s).wait()
