"""Matches what an agent meant, sent and was told with what the world then holds."""

TYPE_CHECKING = False  # typing's own costs most of an interpreter's start, and this module is loaded at every one
if TYPE_CHECKING:
    __version__: str

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """Read `__version__` from the installed metadata when it is asked for: importing this costs nothing."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("counterfoil")
