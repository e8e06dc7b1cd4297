"""Processes that fork and spawn. A child knows nothing of its parent's operations, and tells its own before it ends."""

import pytest

from tests.shapes.application import APPS, Application
from tests.shapes.told import assert_told


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(application: Application, method: str) -> None:
    """The parent's operation is open when the child begins; both are told, each by its own process."""
    application.run("opentelemetry-instrument", "python", "children.py", method)
    assert_told(application.received, 2)


def test_celery_prefork(application: Application) -> None:
    (application.folder / "queue").mkdir()
    application.variables["PYTHONPATH"] = str(APPS)
    worker = ["opentelemetry-instrument", "celery", "-A", "tasks", "worker", "--concurrency=2", "--loglevel=INFO"]
    with application.serve(*worker, "--without-gossip", "--without-mingle", "--without-heartbeat") as running:
        running.says(r"ready\.")
        send = "import tasks; [tasks.pay.delay(number) for number in (1, 2, 3)]"
        application.run("python", "-c", send, COUNTERFOIL_ENABLED="false")
        running.says(r"succeeded in", times=3)
        running.stop()
    assert_told(application.received, 3)
