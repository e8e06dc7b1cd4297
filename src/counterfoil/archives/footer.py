"""What an archive's file says of how it came to be: what was read, and what could not be taken in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from counterfoil.archives.rows import SAID, VERSION
from counterfoil.auditing.intake import MAX_NOTES, Intake


class TooNew(Exception):
    """An archive of a version that this reader can't read rightly."""

    def __init__(self, name: str, version: object) -> None:
        super().__init__(
            f"{name} is an archive of version {version}, and this counterfoil reads up to {VERSION}; upgrade it"
        )


def written_of(intake: Intake) -> bytes:
    """What an intake has to say beside its facts, the same bytes for the same."""
    said = {
        "version": VERSION,
        "understood": intake.understood,
        "skipped": intake.skipped,
        "unlisted": intake.unlisted,
        "notes": intake.notes,
        "spilled": dict(intake.spilled),
    }
    return orjson.dumps(said, option=orjson.OPT_SORT_KEYS)


def said_by(path: Path, name: str = "") -> Mapping[str, Any] | None:
    """What an archive says of itself; None for Parquet of another's making. ``name``: what a person calls it, if not by
    its path. Raises OSError and `TooNew`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata
    except pa.ArrowInvalid as broken:
        raise OSError(0, f"no sound Parquet ({type(broken).__name__})", name or str(path)) from None
    return said_in(metadata, name or str(path))


def said_in(metadata: Mapping[bytes, bytes] | None, name: str) -> Mapping[str, Any] | None:
    """The same, out of a file's metadata. Raises `TooNew`."""
    if metadata is None or SAID not in metadata:
        return None
    said: Mapping[str, Any] = orjson.loads(metadata[SAID])
    if not isinstance(said.get("version"), int) or said["version"] > VERSION:
        raise TooNew(name, said.get("version"))
    return said


def take_over(intake: Intake, said: Mapping[str, Any]) -> None:
    """Add to an intake what another one was told beside its facts."""
    intake.understood += int(said["understood"])
    intake.skipped += int(said["skipped"])
    intake.unlisted += int(said["unlisted"])
    intake.spilled += Counter(said["spilled"])
    intake.notes += said["notes"][: MAX_NOTES - len(intake.notes)]
