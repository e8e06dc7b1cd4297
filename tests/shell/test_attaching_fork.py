"""A process forked while another thread attaches can attach as well."""

import subprocess
import sys

PROGRAM = """
import os, threading
from opentelemetry.sdk.trace import TracerProvider
from counterfoil.processor import attaching

held, done = threading.Event(), threading.Event()

def hold():
    with attaching._attaching:
        held.set()
        done.wait(60)

threading.Thread(target=hold).start()
held.wait(60)
child = os.fork()
if child == 0:
    threading.Timer(30, os._exit, (1,)).start()
    attaching.attach(TracerProvider(shutdown_on_exit=False))
    os._exit(0)
_, status = os.waitpid(child, 0)
done.set()
raise SystemExit(os.waitstatus_to_exitcode(status))
"""


def test_a_child_of_a_fork_in_the_middle_of_attaching_can_attach():
    done = subprocess.run([sys.executable, "-c", PROGRAM], timeout=90, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
