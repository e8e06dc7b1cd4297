"""`counterfoil audit`, run in this process, and evidence to run it on."""

import json
from dataclasses import dataclass
from typing import Any

from typer.testing import CliRunner

from counterfoil.cli.frame import app

PAYLOAD = "sha256:" + "a" * 64
OTHER_PAYLOAD = "sha256:" + "b" * 64


@dataclass(frozen=True)
class Audit:
    """What an audit wrote, and how it ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.stdout.splitlines()]


def audit(*arguments: object, stdin: bytes = b"") -> Audit:
    ran = CliRunner().invoke(app, ["audit", *map(str, arguments)], input=stdin)
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return Audit(ran.exit_code, ran.stdout, ran.stderr)


def audit_of(*records: dict[str, object] | bytes, options: tuple[str, ...] = ("--json",)) -> Audit:
    """Audit these records from standard input; bytes are a line as it is."""
    return audit("-", *options, stdin=b"\n".join(map(line, records)))


def line(record: dict[str, object] | bytes) -> bytes:
    return record if isinstance(record, bytes) else json.dumps(record).encode()


def at(second: float) -> str:
    return f"2026-01-01T00:{int(second) // 60:02d}:{second % 60:06.3f}Z"


def intent(operation: str = "op-1", second: float = 0, **said: object) -> dict[str, object]:
    common = {"operation_id": operation, "observed_at": at(second)}
    return {"kind": "intent", **common, "tool": "charge_card", "payload_hash": PAYLOAD, **said}


def attempt(name: str, operation: str = "op-1", second: float = 1, **said: object) -> dict[str, object]:
    common = {"operation_id": operation, "observed_at": at(second), "attempt_id": name}
    return {"kind": "attempt", **common, "payload_hash": PAYLOAD, "transport": "success", **said}


def receipt(ref: str, operation: str = "op-1", second: float = 2, **said: object) -> dict[str, object]:
    common = {"operation_id": operation, "observed_at": at(second), "effect_ref": ref}
    return {"kind": "effect", **common, "source": "provider_receipt", "authoritative": True, **said}


def charged_once(operation: str = "op-1") -> list[dict[str, object]]:
    return [
        intent(operation, idempotency_key=f"key of {operation}"),
        attempt(f"a of {operation}", operation),
        receipt(f"charge of {operation}", operation),
    ]


def charged_twice(operation: str = "op-2") -> list[dict[str, object]]:
    return [
        *charged_once(operation),
        attempt(f"b of {operation}", operation, 30),
        receipt(f"second charge of {operation}", operation, 31),
    ]


def never_heard_of_again(operation: str = "op-3", **said: object) -> list[dict[str, object]]:
    return [intent(operation, **said), attempt(f"a of {operation}", operation, transport="timeout", **said)]
