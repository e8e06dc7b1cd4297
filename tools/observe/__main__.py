"""`make observe`: the demo's agent seen through a real collector, Prometheus and Alertmanager on this machine.

Builds what is missing, starts the three on free ports with the project's rules, runs the demo against them, prints the
addresses and keeps everything up until Ctrl-C. What was written stays in the folder that it names.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.observe import golang
from tools.observe.build import PRODUCTS, built, obtain
from tools.observe.stack import Stack, project_rules, running


def main() -> int:
    """Run until a signal. Returns 3 when something has to be built and there is no Go."""
    for product in PRODUCTS:
        if built(product) is None:
            print(f"building {product}: minutes the first time, never again", flush=True)
        try:
            obtain(product)
        except golang.NoToolchain as missing:
            print(f"can't observe without {product}: {missing}", file=sys.stderr)
            return 3
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="counterfoil-observe-"))
    try:
        with running(folder, rules=project_rules(), evaluation_interval="5s") as stack:
            print(_addresses(stack), flush=True)
            _demo(stack)
            print("running until Ctrl-C", flush=True)
            while True:
                signal.pause()
    except KeyboardInterrupt:
        print(f"stopped; what was written is in {folder}")
    return 0


def _demo(stack: Stack) -> None:
    """Run the demo once with its telemetry sent to the stack. Its own exit code is reported, not raised."""
    environment = {
        **os.environ,
        "OTEL_EXPORTER_OTLP_ENDPOINT": stack.otlp,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    }
    command = [str(Path(sys.executable).with_name("counterfoil")), "demo"]
    done = subprocess.run(command, cwd=stack.folder, env=environment, check=False)
    if done.returncode != 0:
        print(f"the demo ended with {done.returncode}", file=sys.stderr)


def _addresses(stack: Stack) -> str:
    prometheus, alertmanager = stack.prometheus.url("http"), stack.alertmanager.url("http")
    promtool, amtool = obtain("prometheus")["promtool"], obtain("alertmanager")["amtool"]
    return f"""\
collector      OTEL_EXPORTER_OTLP_ENDPOINT={stack.otlp} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
prometheus     {prometheus}/api/v1/query?query=counterfoil_verdicts_total
               {promtool} query instant {prometheus} 'counterfoil_verdicts_total'
alerts         {prometheus}/api/v1/alerts
alertmanager   {alertmanager}/api/v2/alerts
               {amtool} --alertmanager.url={alertmanager} alert
spans          {stack.traces}
log records    {stack.logs}"""


if __name__ == "__main__":
    sys.exit(main())
