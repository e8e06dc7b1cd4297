"""`by_hand.py` in an interpreter that doesn't look into the program's folder by itself."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
import by_hand  # noqa: F401
