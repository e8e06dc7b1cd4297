"""Settings: frozen, with defaults, from the environment and one TOML file."""

from counterfoil.config.load import CAPTURE, HASHED
from counterfoil.config.lookups import Lookup, Place, Volatile
from counterfoil.config.probes import Limit, Pace, ProbeConfig
from counterfoil.config.settings import Config
from counterfoil.config.tools import ToolConfig

__all__ = ["CAPTURE", "HASHED", "Config", "Limit", "Lookup", "Pace", "Place", "ProbeConfig", "ToolConfig", "Volatile"]
