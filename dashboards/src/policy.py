"""The numbers that people argue about, each in one place. Change one, run `python -m dashboards.src`, read the diff."""

from __future__ import annotations

OBJECTIVE = 0.995
"""Share of decided operations that should end without a bad verdict (see `words.BAD`)."""

BUDGET = round(1 - OBJECTIVE, 6)
"""Share that may be bad."""

MINIMUM_OPERATIONS = 20
"""Decided operations in the long window below which a ratio says nothing: three of four is not 75 % of a service."""

QUIET_DOUBTS = 3
"""Bad verdicts within six hours that deserve a look where there are too few operations for a ratio."""

SILENT_AFTER = "10m"
"""Age of a job's last heartbeat from which its silence pages. The SDK exports metrics every 60 s by default."""

REMEMBERED_FOR = "6h"
"""How long a job that has gone silent is still missed, and how long a counter is remembered over a gap."""

LATE_AFTER_S = 180
"""Age of the last heartbeat, in seconds, from which a judge whose telemetry still arrives counts as late."""

STUCK_AFTER_S = 900
"""Age of the oldest operation without a settled verdict, in seconds, from which something holds it up."""

SEEN_WITHIN = "15m"
"""How far back a rule looks for a verdict, a finding or an error that is new."""

EXPORT_INTERVAL = "1m"
"""How often metrics are exported unless the application says otherwise. Panels look at four of these or more."""
