"""Logfire: dashboards in its Perses JSON, alerts in SQL, and Terraform that brings both into a project."""
