"""One of several databases that are one ledger: it has its operations, and the first database has their links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from counterfoil.facts import Fact, Gap
from counterfoil.ledger import postgres_sql as sql
from counterfoil.ledger.links import Link, links_of
from counterfoil.ledger.packing import Rows, rows_of
from counterfoil.ledger.postgres import PostgresLedger
from counterfoil.ledger.postgres_session import Connection, PostgresSession
from counterfoil.ledger.shard_place import Place

Pairs = list[tuple[Link, str]]


class Links:
    """The links in the first database, over a connection of its own for each shard."""

    def __init__(self, url: str, *, patience_s: float, shards: int) -> None:
        self._session = PostgresSession(url, patience_s=patience_s, place=Place(0, shards))

    @contextmanager
    def written(self, links: Pairs) -> Iterator[None]:
        """They are kept when the block has ended in order. Until then nobody forgets any, so that none of them is lost
        to who forgets the same operation meanwhile."""
        with self._session.use() as db, db.transaction():
            db.execute(sql.LINKING)
            db.execute(sql.LINKS, _columns(links))
            yield

    @contextmanager
    def forgetting(self) -> Iterator[Connection]:
        """Nobody writes links meanwhile."""
        with self._session.use() as db, db.transaction():
            db.execute(sql.UNLINKING)
            yield db

    def close(self) -> None:
        self._session.close()


class Shard(PostgresLedger):
    """A database that isn't the first. Links are written before facts are: a link too many costs a look at a stranger,
    and one too few a verdict."""

    def __init__(self, url: str, links: Links, first: PostgresLedger, *, patience_s: float, place: Place) -> None:
        super().__init__(url, patience_s=patience_s, place=place)
        self._links = links
        self._first = first

    def add(self, facts: Iterable[Fact | Gap], *, due: int) -> int:
        rows = rows_of(facts)
        links = sorted({(link, row.operation_id) for row in rows.facts for link in row.links})
        bare = Rows(tuple(row._replace(links=()) for row in rows.facts), rows.gaps)
        if not links:
            return self._add(bare, due)
        with self._links.written(links):
            return self._add(bare, due)

    def sharing(self, links: Collection[Link]) -> Mapping[Link, Sequence[str]]:
        return self._first.sharing(links)

    def forget(self, operation_ids: Collection[str], before: int) -> int:
        if not operation_ids:
            return 0
        known = self.facts(operation_ids).operations
        with self._links.forgetting() as db:
            forgotten = super().forget(operation_ids, before)
            left = self.facts(operation_ids).operations.keys()
            gone = {
                (link, n) for n, facts in known.items() if n not in left for fact in facts for link in links_of(fact)
            }
            if gone:
                db.execute(sql.FORGET_LINKS, _columns(sorted(gone)))
        return forgotten

    def close(self) -> None:
        super().close()
        self._links.close()


def _columns(links: Pairs) -> list[list[object]]:
    return [list(column) for column in zip(*links, strict=True)]
