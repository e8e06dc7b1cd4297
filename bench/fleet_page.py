"""What was simulated, as the last part of the page of figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.fleet_queues import Told
from bench.scale_charts import drawn, fleets
from bench.scale_page import SECTION

ASSUMED = (
    "",
    "Assumed for fleets: every worker has a core of its own; one turn costs there what it cost on this machine; the",
    "database's cores serve first come first served; waiting for the disk is not shared, as group commit has it;",
    "locks, vacuum, the network and the disk's own limit cost nothing. p50 and p99 at 70 % of what the fleet can take,",
    "with batches that come at random; without the time that an operation is given to settle.",
)


def written(folder: Path, printed: Sequence[str], simulated: Mapping[int, Sequence[tuple[int, Told]]]) -> None:
    """After what `bench.scale` wrote there."""
    path = folder / "fleet-figures.md"
    before = (path.read_text(encoding="utf-8") if path.exists() else "").partition(SECTION)[0].rstrip()
    rates, waits = [], []
    for cores, rows in simulated.items():
        name = f"database of {cores} cores"
        rates += [(name, workers, told.facts_a_second) for workers, told in rows]
        waits += [(name, workers, told.latencies[int(len(told.latencies) * 0.99)] * 1e3) for workers, told in rows]
    panels = [("facts a second", "log", rates), ("p99 to the verdict, ms", "linear", waits)]
    picture = drawn(folder, "fleet-simulated.png", "Simulated fleets", lambda: fleets(panels))
    text = "\n".join(printed).strip()
    page = f"{before}\n\n{SECTION}\n## Past this machine\n\nPrinted by `python -m bench.simulation`.\n\n{picture}\n"
    path.write_text(f"{page}```text\n{text}\n```\n", encoding="utf-8")
