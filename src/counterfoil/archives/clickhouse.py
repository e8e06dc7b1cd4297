"""Facts in ClickHouse, where a collector's exporter writes logs: read as lines, in the order of operations.

The table is the one of ``collector-config/clickhouse/facts.sql``. It is read once, by its own sorting key, so the
server streams and sorts nothing, and is never written to. What a line says is read like a line of a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from counterfoil.archives.needs import MissingExtra
from counterfoil.auditing.sources import Source
from counterfoil.names import FACT_EVENT, FACT_VERSION, OPERATION_ID
from counterfoil.reading.lines import CHUNK
from counterfoil.records import VERSION

SCHEME = "clickhouse://"
TABLE = "counterfoil_facts"
PASSWORD = "CLICKHOUSE_PASSWORD"
"""The variable that ClickHouse's own client takes the password from. It must not stand in an address."""

_PLAIN, _TLS = 8123, 8443
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?", re.ASCII)
_NEWER = (
    f'{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"eventName":"{FACT_EVENT}","attributes":['
    f'{{"key":"{OPERATION_ID}","value":{{"stringValue":',
    f'}}}},{{"key":"{FACT_VERSION}","value":{{"intValue":"',
    '"}}]}]}]}]}',
)
"""An event as OTLP JSON, around the operation's id and the version."""


class NoAddress(ValueError):
    """An address that names no table of facts; the message says how one is written."""


@dataclass(frozen=True, slots=True)
class Table(Source):
    """A table of facts, read over HTTP. A server that can't be asked, or stops, is a stream that broke."""

    host: str = ""
    port: int = _PLAIN
    secure: bool = False
    user: str = "default"
    password: str = field(default="", repr=False)
    database: str = "default"
    table: str = TABLE

    def chunks(self, progress: Callable[[int], None] = lambda read: None) -> Iterator[bytes]:
        try:
            from clickhouse_connect import get_client
            from clickhouse_connect.driver.exceptions import Error
        except ImportError:
            raise MissingExtra("clickhouse_connect", "clickhouse") from None
        try:
            with get_client(
                host=self.host,
                port=self.port,
                interface="https" if self.secure else "http",
                username=self.user,
                password=self.password,
                database=self.database,
                autogenerate_session_id=False,
            ) as client:
                answer = cast(BinaryIO, client.raw_stream(query(self.table), fmt="TabSeparatedRaw"))
                while chunk := answer.read(CHUNK):
                    yield chunk
        except Error as wrong:  # its message may quote the address, or a value
            raise OSError(0, f"ClickHouse does not answer ({type(wrong).__name__})") from None


def query(table: str) -> str:
    """One line for each fact: its record, or, of a version that we don't know, an event that says so."""
    before, between, after = map(_sql, _NEWER)
    told = f"concat({before}, toJSONString(operation_id), {between}, toString(version), {after})"
    line = f"if(version <= {VERSION}, replaceAll(record, '\\n', ' '), {told})"
    return f"SELECT {line} AS line FROM {table} FINAL ORDER BY operation_id, fact"


def table_at(address: str, password: str = "") -> Table:
    """``clickhouse://user@host:port/database?table=…&secure=true``. Raises `NoAddress`."""
    try:
        parts = urlsplit(address)
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        port = parts.port
    except ValueError:
        raise _unreadable(address) from None
    table, secure = options.pop("table", TABLE), options.pop("secure", "false")
    if options or not parts.hostname or secure not in ("true", "false") or not _NAME.fullmatch(table):
        raise _unreadable(address)
    if parts.password is not None:
        raise NoAddress(f"a password in an address is seen by others; put it into {PASSWORD}")
    return Table(
        name=f"{SCHEME}{parts.hostname}{parts.path}",
        size=0,
        host=parts.hostname,
        port=port or (_TLS if secure == "true" else _PLAIN),
        secure=secure == "true",
        user=unquote(parts.username or "default"),
        password=password,
        database=unquote(parts.path.strip("/")) or "default",
        table=table,
    )


def _unreadable(address: str) -> NoAddress:
    host = address.removeprefix(SCHEME).rpartition("@")[2].partition("?")[0]
    return NoAddress(
        f"{SCHEME}{host} can't be read; write clickhouse://user@host:8123/database, and as options only "
        f"?table={TABLE} and &secure=true"
    )


def _sql(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
