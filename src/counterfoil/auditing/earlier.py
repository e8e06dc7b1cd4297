"""The verdicts of an earlier audit, out of what its ``--ndjson`` wrote."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from counterfoil.auditing.changes import HISTORY, OPERATION, Named, Verdicts
from counterfoil.auditing.sources import Source
from counterfoil.reading.lines import NoLine, lines


class NoVerdict(ValueError):
    """A line that no audit wrote."""


def earlier(source: Source) -> Iterator[tuple[Named, Verdicts]]:
    """What was told, in the order of the lines; gzip too. Raises `NoVerdict` with the line's number, and OSError."""
    for number, line in enumerate(lines(source.chunks()), 1):
        try:
            if isinstance(line, NoLine):
                raise ValueError(line.what)
            record = orjson.loads(line)
            name = record.get("operation_id")
            named = (OPERATION, str(name)) if name is not None else (HISTORY, str(record["history_id"]))
            verdicts = Verdicts.read(record)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise NoVerdict(f"{source.name}:{number} is no verdict as audit --ndjson writes it") from None
        yield named, verdicts
