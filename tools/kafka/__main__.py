"""A broker to try things with, until Ctrl-C: `python -m tools.kafka [TOPIC[:PARTITIONS] …]` prints its address.

What it kept is gone with it.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.kafka.broker import running
from tools.kafka.build import NoMaven
from tools.missing import LEFT_OUT


def main(topics: Sequence[str]) -> int:
    """Run until a signal. Exit code 3 where the broker can't be had."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with tempfile.TemporaryDirectory(prefix="counterfoil-kafka-") as folder, running(Path(folder)) as broker:
            for topic in topics:
                name, _, partitions = topic.partition(":")
                broker.topic(name, int(partitions or 1))
            print(broker.address, flush=True)
            signal.pause()
    except NoMaven as missing:
        print(f"no broker: {missing}", file=sys.stderr)
        return LEFT_OUT
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
