"""Servers with several workers. They are asked to end by SIGTERM, as an orchestrator does."""

import urllib.request

import pytest

from tests.shapes.application import APPS, Application, Running
from tests.shapes.told import assert_told

REQUESTS = 6


@pytest.fixture
def application(application: Application) -> Application:
    application.variables["PYTHONPATH"] = str(APPS)
    return application


def ask(running: Running, ready: str) -> None:
    """Send the requests to the address that the server says it listens at."""
    address = running.says(rf"{ready} (http://127\.0\.0\.1:\d+)")[1]
    for _ in range(REQUESTS):
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert answer.read().startswith(b"order-")


@pytest.mark.parametrize("preload", [[], ["--preload"]], ids=["each-worker-loads", "preload"])
def test_gunicorn(application: Application, preload: list[str]) -> None:
    server = ["opentelemetry-instrument", "gunicorn", "wsgi:app", "--workers=2", "--bind=127.0.0.1:0", *preload]
    with application.serve(*server) as running:
        ask(running, "Listening at:")
        running.stop()
    assert_told(application.received, REQUESTS)


def test_uvicorn_with_workers(application: Application) -> None:
    """A worker that ends by a signal sends itself the signal again when it is done, and leaves without `atexit`."""
    server = ["opentelemetry-instrument", "uvicorn", "asgi:app", "--workers=2", "--port=0"]
    with application.serve(*server) as running:
        running.says("Application startup complete", times=2)
        ask(running, "Uvicorn running on")
        running.stop()
    assert_told(application.received, REQUESTS)


def test_uvicorn_without_workers(application: Application) -> None:
    with application.serve("opentelemetry-instrument", "uvicorn", "asgi:app", "--port=0") as running:
        ask(running, "Uvicorn running on")
        running.stop()
    assert_told(application.received, REQUESTS)
