"""Terraform for the provider pydantic/logfire: the dashboards and the alerts of this folder."""

from __future__ import annotations

from collections.abc import Mapping

from dashboards.src.logfire.alerts import ALERTS, SqlAlert
from dashboards.src.text import ORIGIN

HEAD = """# {origin}

terraform {{
  required_providers {{
    logfire = {{
      source  = "pydantic/logfire"
      version = ">= 0.1.13"
    }}
  }}
}}

variable "project_id" {{
  description = "UUID of the Logfire project."
  type        = string
}}

variable "page_channel_ids" {{
  description = "Channels that wake somebody."
  type        = set(string)
}}

variable "ticket_channel_ids" {{
  description = "Channels that are read in working hours."
  type        = set(string)
}}

variable "environments" {{
  description = "Deployment environments that the alerts look at; empty for all."
  type        = set(string)
  default     = []
}}
"""

DASHBOARD = """
resource "logfire_dashboard" "{slug}" {{
  project_id = var.project_id
  name       = "{title}"
  slug       = "{name}"
  definition = file("${{path.module}}/{name}.json")
}}
"""

ALERT = """
resource "logfire_alert" "{slug}" {{
  project_id          = var.project_id
  name                = "counterfoil-{name}"
  description         = "{description} Runbook: runbooks/{runbook}.md"
  query               = file("${{path.module}}/alerts/{name}.sql")
  time_window         = "{window}"
  frequency           = "{frequency}"
  notify_when         = "{notify}"
  environments        = var.environments
  channel_assignments = [for id in var.{channels} : {{ channel_id = id }}]
}}
"""

PAGES = {"severe-verdict", "judge-silent"}


def _slug(name: str) -> str:
    return name.replace("-", "_")


def _alert(alert: SqlAlert) -> str:
    return ALERT.format(
        slug=f"counterfoil_{_slug(alert.name)}",
        name=alert.name,
        description=alert.description,
        runbook=alert.runbook,
        window=alert.window,
        frequency=alert.frequency,
        notify=alert.notify,
        channels="page_channel_ids" if alert.name in PAGES else "ticket_channel_ids",
    )


def main_tf(titles: Mapping[str, str]) -> str:
    """The module's one file; `titles` are those of the dashboards by name."""
    boards = [DASHBOARD.format(slug=_slug(name), title=title, name=name) for name, title in titles.items()]
    return HEAD.format(origin=ORIGIN) + "".join((*boards, *map(_alert, ALERTS)))
