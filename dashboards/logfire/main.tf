# Generated from dashboards/src by `python -m dashboards.src`. Change it there: a test compares the two.

terraform {
  required_providers {
    logfire = {
      source  = "pydantic/logfire"
      version = ">= 0.1.13"
    }
  }
}

variable "project_id" {
  description = "UUID of the Logfire project."
  type        = string
}

variable "page_channel_ids" {
  description = "Channels that wake somebody."
  type        = set(string)
}

variable "ticket_channel_ids" {
  description = "Channels that are read in working hours."
  type        = set(string)
}

variable "environments" {
  description = "Deployment environments that the alerts look at; empty for all."
  type        = set(string)
  default     = []
}

resource "logfire_dashboard" "counterfoil_overview" {
  project_id = var.project_id
  name       = "Counterfoil / Overview"
  slug       = "counterfoil-overview"
  definition = file("${path.module}/counterfoil-overview.json")
}

resource "logfire_dashboard" "counterfoil_operations" {
  project_id = var.project_id
  name       = "Counterfoil / Operations"
  slug       = "counterfoil-operations"
  definition = file("${path.module}/counterfoil-operations.json")
}

resource "logfire_dashboard" "counterfoil_health" {
  project_id = var.project_id
  name       = "Counterfoil / Health of the judge"
  slug       = "counterfoil-health"
  definition = file("${path.module}/counterfoil-health.json")
}

resource "logfire_alert" "counterfoil_severe_verdict" {
  project_id          = var.project_id
  name                = "counterfoil-severe-verdict"
  description         = "An effect in the real world is wrong. Don't retry: look at the trace and the operation's links. Runbook: runbooks/CounterfoilIncidentOpen.md"
  query               = file("${path.module}/alerts/severe-verdict.sql")
  time_window         = "1m"
  frequency           = "1m"
  notify_when         = "has_matches"
  environments        = var.environments
  channel_assignments = [for id in var.page_channel_ids : { channel_id = id }]
}

resource "logfire_alert" "counterfoil_unsafe_retry" {
  project_id          = var.project_id
  name                = "counterfoil-unsafe-retry"
  description         = "A call went out again where the provider could not know it. Runbook: runbooks/CounterfoilUnsafeRetrySeen.md"
  query               = file("${path.module}/alerts/unsafe-retry.sql")
  time_window         = "5m"
  frequency           = "5m"
  notify_when         = "has_matches"
  environments        = var.environments
  channel_assignments = [for id in var.ticket_channel_ids : { channel_id = id }]
}

resource "logfire_alert" "counterfoil_doubt_past_its_deadline" {
  project_id          = var.project_id
  name                = "counterfoil-doubt-past-its-deadline"
  description         = "An operation may have taken effect and nobody knows. Probe or ask; never retry on a guess. Runbook: runbooks/CounterfoilVerificationStuck.md"
  query               = file("${path.module}/alerts/doubt-past-its-deadline.sql")
  time_window         = "5m"
  frequency           = "5m"
  notify_when         = "has_matches"
  environments        = var.environments
  channel_assignments = [for id in var.ticket_channel_ids : { channel_id = id }]
}

resource "logfire_alert" "counterfoil_judge_silent" {
  project_id          = var.project_id
  name                = "counterfoil-judge-silent"
  description         = "A judge that ran today has not run for ten minutes. No alert is now not the same as no incident. Runbook: runbooks/CounterfoilTelemetryMissing.md"
  query               = file("${path.module}/alerts/judge-silent.sql")
  time_window         = "24h"
  frequency           = "5m"
  notify_when         = "has_matches_changed"
  environments        = var.environments
  channel_assignments = [for id in var.page_channel_ids : { channel_id = id }]
}

resource "logfire_alert" "counterfoil_facts_dropped" {
  project_id          = var.project_id
  name                = "counterfoil-facts-dropped"
  description         = "Evidence was lost. A lost fact can hide a bad verdict but not invent one. Runbook: runbooks/CounterfoilFactsDropped.md"
  query               = file("${path.module}/alerts/facts-dropped.sql")
  time_window         = "15m"
  frequency           = "15m"
  notify_when         = "starts_having_matches"
  environments        = var.environments
  channel_assignments = [for id in var.ticket_channel_ids : { channel_id = id }]
}

resource "logfire_alert" "counterfoil_errors_inside_counterfoil" {
  project_id          = var.project_id
  name                = "counterfoil-errors-inside-counterfoil"
  description         = "A reader, a rule, a probe or the ledger failed. The application was not disturbed. Runbook: runbooks/CounterfoilErrors.md"
  query               = file("${path.module}/alerts/errors-inside-counterfoil.sql")
  time_window         = "15m"
  frequency           = "15m"
  notify_when         = "starts_having_matches"
  environments        = var.environments
  channel_assignments = [for id in var.ticket_channel_ids : { channel_id = id }]
}
