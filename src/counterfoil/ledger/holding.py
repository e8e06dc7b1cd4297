"""Holding an operation for something that takes long, such as asking its target: one holder among all processes.

Unlike a claim it keeps nobody from adding facts, from judging or from telling. It ends with its process.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from counterfoil.ledger.forks import Watched, tell_of_forks
from counterfoil.ledger.turns import Turns

if TYPE_CHECKING:
    from counterfoil.ledger.postgres_session import PostgresSession


class Held(Watched):
    """What this process holds; by itself, what a ledger in its memory needs. Safe for threads."""

    def __init__(self) -> None:
        self.forked()
        tell_of_forks(self)

    def forked(self) -> None:
        """In a child: what the parent holds, the parent holds."""
        self._lock = threading.Lock()
        self._names: set[str] = set()

    def hold(self, operation_id: str) -> bool:
        with self._lock:
            if operation_id in self._names or not self._may(operation_id, not self._names):
                return False
            self._names.add(operation_id)
            return True

    def release(self, operation_id: str) -> None:
        with self._lock:
            if operation_id in self._names:
                self._names.discard(operation_id)
                self._left(operation_id, not self._names)

    def _may(self, operation_id: str, first: bool) -> bool:
        return True

    def _left(self, operation_id: str, last: bool) -> None:
        return


class HeldByFile(Held):
    """Among the processes on one file, one at a time holds anything; the kernel lets go for one that dies."""

    def __init__(self, path: str) -> None:
        self._turns = Turns(path)
        super().__init__()

    def _may(self, operation_id: str, first: bool) -> bool:
        return not first or self._turns.take(0)

    def _left(self, operation_id: str, last: bool) -> None:
        if last:
            self._turns.give()


class HeldByServer(Held):
    """Among all sessions on one schema, by advisory locks; the server lets go for a session that ends."""

    _NAME = "hashtextextended(current_schema() || ' counterfoil ' || %s, 0)"

    def __init__(self, session: PostgresSession) -> None:
        self._session = session
        super().__init__()

    def _may(self, operation_id: str, first: bool) -> bool:
        with self._session.use() as db:
            row = db.execute(f"SELECT pg_try_advisory_lock({self._NAME})", (operation_id,)).fetchone()
        return bool(row and row[0])

    def _left(self, operation_id: str, last: bool) -> None:
        with suppress(Exception), self._session.use() as db:  # a session that ended has let go already
            db.execute(f"SELECT pg_advisory_unlock({self._NAME})", (operation_id,))

    def close(self) -> None:
        self._session.close()
