"""The two ready-made probes, against a real server and a real database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from counterfoil.config.probes import probe
from counterfoil.probing import Answer, CannotTell, Question
from counterfoil.probing.http import MAX_ANSWER
from counterfoil.probing.resolving import probe_of

TOKEN = {"PAY_TOKEN": "s3cret"}


class Target:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 200, {}, b"{}"
        self.asked: list[tuple[str, str | None]] = []
        target = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                target.asked.append((self.path, self.headers.get("Authorization")))
                moved = self.path == "/moved"
                self.send_response(200 if moved else target.status)
                for name, value in {} if moved else target.headers.items():
                    self.send_header(name, value)
                body = b'{"data": [{"id": "moved_1"}]}' if moved else target.body
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def says(self, body: object, status: int = 200, **headers: str) -> None:
        self.status, self.headers = status, headers
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()


@pytest.fixture
def target() -> Iterator[Target]:
    target = Target()
    thread = Thread(target=target.server.serve_forever, daemon=True)
    thread.start()
    yield target
    target.server.shutdown()
    target.server.server_close()
    thread.join()


def asked(target: Target, path: str = "/charges?key={key}", *, key: str | None = "k1", **more: object) -> object:
    said = {
        "url": target.url + path,
        "found": "data[*].id",
        "headers": {"Authorization": "Bearer ${PAY_TOKEN}"},
        **more,
    }
    return probe_of(probe(said), TOKEN)(Question(operation_id="op/1", key=key, refs=("..",)))


def test_it_finds_what_the_answer_names(target: Target) -> None:
    target.says({"data": [{"id": "pay_1"}]})
    answer = asked(target)
    assert isinstance(answer, Answer)
    assert (answer.refs, answer.read) == (("pay_1",), {"data": [{"id": "pay_1"}]})
    assert target.asked == [("/charges?key=k1", "Bearer s3cret")]


def test_an_empty_list_is_absence_and_an_answer_of_another_shape_is_none(target: Target) -> None:
    target.says({"data": []})
    assert asked(target) == Answer(read={"data": []})
    for other in ({"error": "try later"}, {"data": None}, [], {"data": [{"id": {}}]}, b"<html>", b""):
        target.says(other)
        assert isinstance(asked(target), CannotTell)


@pytest.mark.parametrize("status", [201, 204, 400, 401, 404, 429, 500, 503])
def test_a_status_says_nothing_unless_the_operator_says_so(target: Target, status: int) -> None:
    target.says({"data": []}, status)
    assert asked(target) == CannotTell(f"the target answered HTTP {status}")
    if status == 404:
        assert asked(target, absent=[404]) == Answer()


def test_counting_is_enough(target: Target) -> None:
    said = {"url": f"{target.url}/n?op={{operation_id}}", "count": "total"}
    target.says({"total": 2})
    answer = probe_of(probe(said))(Question(operation_id="a"))
    assert isinstance(answer, Answer)
    assert answer.count == 2
    target.says({"total": "2"})
    assert isinstance(probe_of(probe(said))(Question(operation_id="a")), CannotTell)


def test_what_it_asks_with_can_name_no_other_place(target: Target) -> None:
    target.says({"data": []})
    asked(target, "/charges/{key}", key="../admin?x=1&y#z\r\nHost: evil")
    asked(target, "/charges/{operation_id}")
    assert [path for path, _ in target.asked] == [
        "/charges/..%2Fadmin%3Fx%3D1%26y%23z%0D%0AHost%3A%20evil",
        "/charges/op%2F1",
    ]
    assert isinstance(asked(target, "/charges/{ref}"), CannotTell)
    assert len(target.asked) == 2


def test_without_the_key_nothing_is_asked(target: Target) -> None:
    assert asked(target, key=None) == CannotTell("no key is known to ask with")
    assert target.asked == []


def test_a_redirect_to_another_host_is_not_followed_and_hears_no_secret(target: Target) -> None:
    other = Target()
    with closing(other.server.socket):
        target.says(b"", 302, Location=f"{other.url}/moved")
        assert asked(target) == CannotTell("the target answered HTTP 302")
    assert other.asked == []
    target.says(b"", 302, Location="/moved")
    answer = asked(target)
    assert isinstance(answer, Answer)
    assert answer.refs == ("moved_1",)


def test_a_flood_is_not_read(target: Target) -> None:
    target.says(b'{"data": []' + b" " * MAX_ANSWER + b"}")
    assert asked(target) == CannotTell("the answer is larger than 1 MiB")


def test_a_target_that_is_not_there_says_nothing() -> None:
    nobody = Target()
    nobody.server.server_close()
    assert asked(nobody) == CannotTell("the target could not be reached (ConnectionRefusedError)")


# --------------------------------------------------------------------------- SQL


@pytest.fixture
def shop(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE charges (id TEXT, op TEXT, cents INTEGER)")
        db.execute("INSERT INTO charges VALUES ('pay_1', 'order-1', 4900), (NULL, 'order-2', 1)")
        db.commit()
    return {"SHOP_DB": f"sqlite:///{path}"}


def sql(shop: dict[str, str], operation: str, statement: str, **more: object) -> object:
    said = {"sql": statement, "database": "${SHOP_DB}", **more}
    return probe_of(probe(said), shop)(Question(operation_id=operation))


BY_OPERATION = "SELECT id, cents FROM charges WHERE op = :operation_id"


def test_rows_are_effects_and_no_row_is_absence(shop: dict[str, str]) -> None:
    assert sql(shop, "order-1", BY_OPERATION) == Answer(refs=("pay_1",), read=[{"id": "pay_1", "cents": 4900}])
    assert sql(shop, "order-3", BY_OPERATION) == Answer(read=[])
    assert isinstance(sql(shop, "order-2", BY_OPERATION), CannotTell)


def test_a_count_is_looked_up_in_the_rows(shop: dict[str, str]) -> None:
    answer = sql(shop, "order-1", "SELECT count(*) AS n FROM charges WHERE op = :operation_id", count="[0].n")
    assert isinstance(answer, Answer)
    assert answer.count == 1


def test_values_are_bound_and_nothing_is_written(shop: dict[str, str]) -> None:
    assert sql(shop, "' OR 1=1 --", BY_OPERATION) == Answer(read=[])
    write = probe({"sql": BY_OPERATION, "database": "${SHOP_DB}"})
    deleting = probe_of(write, shop)
    deleting._statement = __import__("sqlalchemy").text("DELETE FROM charges WHERE op = :operation_id")  # type: ignore[attr-defined]
    with pytest.raises(Exception, match="readonly"):
        deleting(Question(operation_id="order-1"))
