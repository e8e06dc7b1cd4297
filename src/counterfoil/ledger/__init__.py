"""A ledger is a durable set of facts, and what was told of them: what outlives the process that began an operation.

Facts are added where absent and never rewritten; they are folded when an operation is judged. Three places keep one:
this process's memory, a SQLite file that the processes of one host share, and a PostgreSQL that a fleet shares. All
answer alike; `evidence.Folded` is what they answer with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

from counterfoil.ledger.faults import AddressError, DriverError, Kind, LedgerFault, shown
from counterfoil.ledger.protocol import Claim, Ledger
from counterfoil.ledger.told import Told

if TYPE_CHECKING:
    from counterfoil.ledger.postgres import PostgresLedger
    from counterfoil.ledger.sqlite import SqliteLedger

_POSTGRES = ("postgresql://", "postgres://")

__all__ = ["AddressError", "Claim", "DriverError", "Kind", "Ledger", "LedgerFault", "Told", "open_ledger"]


def open_ledger(url: str, *, patience_s: float = 2.0, spool: str | None = None) -> Ledger:
    """The ledger at ``memory:``, ``sqlite:///path`` (``?synchronous=full`` for power-safe) or ``postgresql://…``.

    ``patience_s`` bounds how long one call may wait for other processes or a server. With ``spool``, the path of a
    file, or ``?spool=path`` at the end of the first address, facts for a PostgreSQL that can't be reached wait there
    and follow later. Several ``postgresql://…`` with blanks between them are one ledger, over which operations are
    spread; then each database has a spool of its own. Raises `AddressError` for any other address, and for a PostgreSQL
    without its driver; a file or server is opened when it is first used, so that a fault shows there.
    """
    several = url.split()
    if several and several[0].startswith(_POSTGRES):
        several[0], named = _without_spool(several[0])
        url, spool = several[0] if len(several) == 1 else url, spool or named
    if len(several) > 1 and several[0].startswith(_POSTGRES):
        return _sharded(several, patience_s, spool)
    scheme, _, rest = url.partition(":")
    if spool is not None and scheme not in ("postgresql", "postgres"):
        raise AddressError(f"{shown(url)} needs no spool: only postgresql:// has a connection to lose")
    if scheme == "memory" and not rest:
        from counterfoil.ledger.memory import MemoryLedger

        return MemoryLedger()
    if scheme == "sqlite" and rest.startswith("///"):
        return _sqlite(url, rest[3:], patience_s)
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        return _relayed(_postgres()(url, patience_s=patience_s), spool, patience_s)
    raise AddressError(
        f"COUNTERFOIL_LEDGER is {shown(url)!r}; it must be memory:, sqlite:///path or postgresql://user@host/database"
    )


def _without_spool(url: str) -> tuple[str, str | None]:
    """A PostgreSQL's address as its driver takes it, and the file that our option ``spool`` names in it."""
    place, _, query = url.partition("?")
    options = query.split("&") if query else []
    named = [option.removeprefix("spool=") for option in options if option.startswith("spool=")]
    if not named:
        return url, None
    if len(named) > 1 or not (path := unquote(named[0])):
        raise AddressError(f"COUNTERFOIL_LEDGER is {shown(url)!r}; after spool= comes the path of one file")
    rest = "&".join(option for option in options if not option.startswith("spool="))
    return f"{place}?{rest}" if rest else place, path


def _postgres() -> type[PostgresLedger]:
    try:
        from counterfoil.ledger.postgres import PostgresLedger
    except ImportError:  # the package, or the library that it needs
        raise DriverError(
            "COUNTERFOIL_LEDGER is a postgresql:// address, and its driver can't be loaded here; "
            "install counterfoil[postgres]"
        ) from None
    return PostgresLedger


def _relayed(shared: Ledger, spool: str | None, patience_s: float) -> Ledger:
    if spool is None:
        return shared
    from counterfoil.ledger.relay import Relay

    return Relay(shared, _sqlite(f"sqlite:///{spool}", spool, patience_s))


def _sharded(urls: list[str], patience_s: float, spool: str | None) -> Ledger:
    postgres = _postgres()
    from counterfoil.ledger.shard import Links, Shard
    from counterfoil.ledger.shard_place import Place
    from counterfoil.ledger.sharded import ShardedLedger

    if len(set(urls)) < len(urls) or not all(url.startswith(_POSTGRES) for url in urls):
        raise AddressError(
            f"COUNTERFOIL_LEDGER is {shown(' '.join(urls))!r}; several addresses must all be postgresql:// and unlike"
        )
    first = postgres(urls[0], patience_s=patience_s, place=Place(0, len(urls)))
    bare = [first]
    for number, url in enumerate(urls[1:], 1):
        links = Links(urls[0], patience_s=patience_s, shards=len(urls))
        bare.append(Shard(url, links, first, patience_s=patience_s, place=Place(number, len(urls))))
    spools = [None if spool is None else f"{spool}.{number}" if number else spool for number in range(len(urls))]
    return ShardedLedger(bare, [_relayed(shard, at, patience_s) for shard, at in zip(bare, spools, strict=True)])


def _sqlite(url: str, rest: str, patience_s: float) -> SqliteLedger:
    from counterfoil.ledger.sqlite import SqliteLedger

    path, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    synchronous = options.pop("synchronous", "normal")
    if not path or options or synchronous not in ("normal", "full"):
        raise AddressError(
            f"COUNTERFOIL_LEDGER is {shown(url)!r}; after sqlite:/// comes a path, and as an option only "
            "?synchronous=normal (safe from a killed process) or ?synchronous=full (safe from lost power)"
        )
    return SqliteLedger(path, power_safe=synchronous == "full", patience_s=patience_s)
