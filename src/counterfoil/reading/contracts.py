"""The contract of a message list, out of a record such as a TOML or JSON file gives.

A misspelt term would be a gate that nobody notices to be open, so an unknown key is an error, as is a wrong value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from counterfoil.histories.contract import HistoryContract, Wait
from counterfoil.histories.history import CLIENT, SERVER_STORE
from counterfoil.reading.times import nanoseconds
from counterfoil.reading.values import flag, text

Read = Callable[[object], object]


class ContractError(ValueError):
    """A contract that can't be used: the key, what is wrong with its value, and what it may be."""


def contract_from(record: object) -> HistoryContract:
    """The contract that a record states. Raises `ContractError`."""
    return HistoryContract(**_read(record, "", _TERMS))


def _read(record: object, under: str, terms: Mapping[str, Read]) -> dict[str, Any]:
    where = under.removesuffix(".") or "the contract"
    if not isinstance(record, Mapping):
        raise ContractError(f"{where} must be a table of keys and values")
    unknown = sorted(str(key) for key in record if key not in terms)
    if unknown:
        raise ContractError(f"unknown key {under}{unknown[0]}; {where} may hold: {', '.join(sorted(terms))}")
    values = {}
    for key, value in record.items():
        try:
            values[key] = terms[key](value)
        except ContractError:
            raise
        except (ValueError, OverflowError) as wrong:
            raise ContractError(f"{under}{key}: {wrong}") from None
    return values


def _provenance(value: object) -> str | None:
    if value not in (None, SERVER_STORE, CLIENT):
        raise ValueError(f'must be "{SERVER_STORE}" or "{CLIENT}"')
    return text(value)


def _yes_or_no(value: object) -> bool | None:
    try:
        return flag(value)
    except ValueError:
        raise ValueError("must be true or false") from None


def _yes_unless_said(value: object) -> bool:
    said = _yes_or_no(value)
    return True if said is None else said


def _names(value: object) -> frozenset[str]:
    if value is None:
        return frozenset()
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise ValueError("must be a list of names")
    return frozenset(name for one in value if (name := text(one)) is not None)


def _time(value: object) -> int | None:
    """A time in TOML, or RFC 3339 as a text; without an offset nobody knows when it was."""
    if value is None:
        return None
    said = value.isoformat() if isinstance(value, datetime) else value
    if not isinstance(said, str):
        raise ValueError("must be an RFC 3339 time with an offset")
    return nanoseconds(said)


def _wait(value: object) -> Wait | None:
    if value is None:
        return None
    said = {key: read for key, read in _read(value, "waiting.", _WAIT).items() if read is not None}
    missing = [key for key in ("owner", "decision", "expires_at", "resume_token") if key not in said]
    if missing:
        raise ContractError(
            f"waiting.{missing[0]} is missing: a wait is legitimate only if it names who decides what "
            "until when, and how the run is resumed"
        )
    return Wait(**said)


_WAIT: Mapping[str, Read] = {
    "owner": text,
    "decision": text,
    "expires_at": _time,
    "resume_token": text,
    "calls": lambda value: None if value is None else _names(value),
}
_TERMS: Mapping[str, Read] = {
    **dict.fromkeys(
        ("conversation_id", "owner", "caller", "authorization_context", "replay_context", "forked_from"), text
    ),
    **dict.fromkeys(("merged_from", "side_effect_tools", "ledger_operations"), _names),
    "provenance": _provenance,
    "expects_system_prompt": _yes_or_no,
    "prompt_digest": text,
    "instructions_count": _yes_unless_said,
    "progress_until": _time,
    "waiting": _wait,
}
