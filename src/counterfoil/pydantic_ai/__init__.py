"""Inside a Pydantic AI agent: operations are named where the intent is, and a blind repeat is held.

``Agent(..., capabilities=[Counterfoil()])`` is enough. `Probe` is what a callable must look like that asks the target.
"""

from counterfoil.probing import Probe
from counterfoil.pydantic_ai.capability import Counterfoil
from counterfoil.pydantic_ai.declaring import Guard
from counterfoil.pydantic_ai.resuming import HistoryRefused, Resume

__all__ = ["Counterfoil", "Guard", "HistoryRefused", "Probe", "Resume"]
