"""Signed receipts: what a tool's return may carry so that a stored message list proves an effect.

A message list passes through hands that may write into it, a browser's for one, so a receipt in it is believed only if
it is signed. It says: the target named ``effect_ref`` for this operation and this payload, and a holder of our secret
saw that. It does not say that the effect is still there, nor that it is the only one.

The signature is HMAC with SHA-512. It must not be SHA-256: with the same secret that hashes requests and keys, whose
text others choose, and those hashes are shown; one of them could serve as a signature.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum

import orjson

from counterfoil.facts import PROVIDER_RECEIPT, Effect
from counterfoil.reading.values import MAX_TEXT, text

RECEIPT = "counterfoil.receipt"
"""The key under which `ToolReturnPart.metadata`, or any other mapping, carries a receipt."""

_VERSION = "counterfoil receipt, version 1"
_FIELDS = ("operation_id", "payload_hash", "effect_ref")


class Flaw(StrEnum):
    """Why something that looks like a receipt is none, or proves nothing for the call that it stands beside."""

    UNREADABLE = "unreadable"
    UNSIGNED = "unsigned"
    NO_KEY = "signed, and there is no key to check it with"
    FORGED = "forged, or signed with another key"
    OTHER_OPERATION = "for another operation"
    OTHER_PAYLOAD = "for another payload"


class NotAReceipt(ValueError):
    """A receipt that is not to be believed; ``flaw`` says why. It holds nothing of the receipt."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(f"not a receipt: {flaw}")
        self.flaw = flaw


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The target's own name for what one operation did, bound to the payload that asked for it."""

    operation_id: str
    payload_hash: str
    effect_ref: str


def sign(receipt: Receipt, secret: bytes) -> dict[str, str]:
    """The receipt as JSON-ready values with its signature, to be kept in the metadata of a tool's return.

    ValueError for an empty secret, and for a field that is empty, longer than `MAX_TEXT` characters, or no text that
    JSON can carry: such a receipt could not be read back.
    """
    if not secret:
        raise ValueError("an empty key signs nothing; set COUNTERFOIL_HASH_KEY")
    for name in _FIELDS:
        if not _is_text(getattr(receipt, name)):
            raise ValueError(f"{name} of a receipt must be a text of 1 to {MAX_TEXT} characters")
    return {**asdict(receipt), "signature": _signature(receipt, secret)}


def verified(record: object, secret: bytes | None) -> Receipt:
    """The receipt that a record holds. Raises `NotAReceipt` unless it was signed with this secret, as it stands.

    Signatures are compared in constant time.
    """
    if not isinstance(record, Mapping) or not all(_is_text(record.get(name)) for name in _FIELDS):
        raise NotAReceipt(Flaw.UNREADABLE)
    signature = record.get("signature")
    if not isinstance(signature, str) or not signature:
        raise NotAReceipt(Flaw.UNSIGNED)
    if not secret:
        raise NotAReceipt(Flaw.NO_KEY)
    receipt = Receipt(**{name: record[name] for name in _FIELDS})
    expected = _signature(receipt, secret)
    if not hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), expected.encode()):
        raise NotAReceipt(Flaw.FORGED)
    return receipt


def effect_of(receipt: Receipt, observed_at: int) -> Effect:
    """A verified receipt as the fact that it is; ``observed_at`` is in nanoseconds since 1970."""
    return Effect(
        operation_id=receipt.operation_id,
        observed_at=observed_at,
        source=PROVIDER_RECEIPT,
        effect_ref=receipt.effect_ref,
        payload_hash=receipt.payload_hash,
        authoritative=True,
    )


def _signature(receipt: Receipt, secret: bytes) -> str:
    """A list of texts has one spelling in JSON, whoever writes it."""
    said = [_VERSION, *(getattr(receipt, name) for name in _FIELDS)]
    return "hmac-sha512:" + hmac.new(secret, orjson.dumps(said), hashlib.sha512).hexdigest()


def _is_text(value: object) -> bool:
    try:
        return text(value) is not None
    except ValueError:
        return False
