"""What `counterfoil --version` says."""

from __future__ import annotations

import counterfoil


def version_line() -> str:
    return f"counterfoil {counterfoil.__version__}"
