"""The ready-made probe by SQL: one SELECT with bound parameters, in a transaction that is rolled back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from counterfoil.config import ProbeConfig
from counterfoil.probing.question import Answer, CannotTell, Question
from counterfoil.probing.reading import Unknown, answer_from, asked_with

MAX_ROWS = 100
"""A statement that yields more rows says nothing: it is not about one operation."""

_BOUND = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)", re.ASCII)


class SqlProbe:
    """Asks one database. Without ``found`` and ``count`` each row is an effect, named by its first column.

    Nothing is written: PostgreSQL and SQLite are told so, and everywhere the transaction is rolled back. Give it a user
    who may only read all the same. ValueError if SQLAlchemy is not installed, or knows no such database.
    """

    def __init__(self, config: ProbeConfig, address: str) -> None:
        try:
            import sqlalchemy
            from sqlalchemy.pool import NullPool
        except ImportError:
            raise ValueError("sql needs SQLAlchemy; install counterfoil[sql]") from None
        try:
            self._engine = sqlalchemy.create_engine(address, poolclass=NullPool, hide_parameters=True)
        except Exception as error:  # the message would hold the address, and that a password
            raise ValueError(f"no database is meant by that address ({type(error).__name__})") from None
        self._statement = sqlalchemy.text(str(config.sql))
        self._places = sorted(set(_BOUND.findall(str(config.sql))))
        self._config = config

    def __call__(self, question: Question) -> Answer | CannotTell:
        try:
            values = asked_with(question, self._places)
        except Unknown as missing:
            return CannotTell(str(missing))
        with self._engine.connect() as db:
            self._only_read(db)
            rows = db.execute(self._statement, values).mappings().fetchmany(MAX_ROWS + 1)
            db.rollback()
        if len(rows) > MAX_ROWS:
            return CannotTell(f"more than {MAX_ROWS} rows")
        return self._answer([dict(row) for row in rows])

    def _only_read(self, db: Any) -> None:
        if self._engine.dialect.name == "postgresql":
            db.exec_driver_sql("SET TRANSACTION READ ONLY")
        elif self._engine.dialect.name == "sqlite":
            db.exec_driver_sql("PRAGMA query_only = ON")

    def _answer(self, rows: list[Mapping[str, Any]]) -> Answer | CannotTell:
        if self._config.found is not None or self._config.count is not None:
            return answer_from(self._config, rows)
        first = [next(iter(row.values()), None) for row in rows]
        if any(value is None for value in first):
            return CannotTell("a row has nothing in its first column")
        named = replace(self._config, found="[]")
        answer = answer_from(named, [value if isinstance(value, str | int) else str(value) for value in first])
        return replace(answer, read=rows) if isinstance(answer, Answer) else answer
