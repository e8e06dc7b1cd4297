"""The job as `spark-submit` runs it, in a process group of its own, so that it can be killed with all its workers."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

from tests.engines.sparks import BOUND_S, CONF


def started(folder, facts, verdicts, *more, partitions=2, line_only=()):
    """The job, started by the very line that the command prints. ``line_only``: options that only the job has."""
    asked = ["--facts", facts, "--verdicts", verdicts, "--checkpoint", str(folder / "checkpoint")]
    command = [sys.executable, "-m", "counterfoil", "engine", "spark", *asked, "--every", "0"]
    printed = subprocess.run(
        [*command, "--partitions", str(partitions), *more], check=True, capture_output=True, text=True
    ).stdout
    line = shlex.split(printed)
    settings = [f"{name}={value}" for name, value in CONF.items() if name != "spark.sql.shuffle.partitions"]
    small = [part for setting in settings for part in ("--conf", setting)]
    program = Path(sys.executable).with_name("spark-submit")
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "COUNTERFOIL_SETTLE_AFTER": "0"}
    with open(folder / "log", "ab") as log:
        job = [str(program), *line[1:3], *small, *line[3:], *line_only]
        return subprocess.Popen(job, cwd=folder, env=environment, start_new_session=True, stdout=log, stderr=log)


def killed(job):
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()


def until(job, folder, done, pause_s=0.05):
    give_up = monotonic() + BOUND_S
    while not done():
        if job.poll() is not None or monotonic() > give_up:
            raise AssertionError((folder / "log").read_text()[-4_000:])
        sleep(pause_s)


def reached(folder, log):
    """The number of the last micro-batch that is in one of the checkpoint's logs; -1 before the first."""
    return max((int(entry.name) for entry in (folder / "checkpoint" / log).glob("[0-9]*")), default=-1)


def read_and_done(folder):
    """How many messages of a topic are behind the last micro-batch that was completed."""
    last = reached(folder, "commits")
    if last < 0:
        return 0
    offset = json.loads((folder / "checkpoint" / "offsets" / str(last)).read_text().splitlines()[-1])
    return sum(offset["next"].values())
