"""Three Grafana dashboards as classic JSON, provisioning files, and the alert rules as Grafana manages them."""

from __future__ import annotations

import warnings

# The SDK would rather have the second model, which files and Terraform can't provision (dashboards/README.md).
warnings.filterwarnings("ignore", "Prefer using dashboardv2", DeprecationWarning)
