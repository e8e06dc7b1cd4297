"""A receipt in a message list is believed only if the server signed exactly this one."""

import hashlib
import hmac
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.facts import PROVIDER_RECEIPT
from counterfoil.reading.hashing import fingerprint, payload_hash
from counterfoil.receipts import Flaw, NotAReceipt, Receipt, effect_of, sign, verified

SECRET = b"a secret of the server"
RECEIPT = Receipt(operation_id="op-1", payload_hash="sha256:" + "a" * 64, effect_ref="payment-1")
texts = st.text(min_size=1, max_size=40)
receipts = st.builds(Receipt, operation_id=texts, payload_hash=texts, effect_ref=texts)


def flaw(record: object, secret: bytes | None = SECRET) -> Flaw:
    with pytest.raises(NotAReceipt) as refused:
        verified(record, secret)
    return refused.value.flaw


@given(receipts)
def test_what_was_signed_is_believed(receipt: Receipt) -> None:
    assert verified(sign(receipt, SECRET), SECRET) == receipt


@given(receipts, st.sampled_from(["operation_id", "payload_hash", "effect_ref"]), texts)
def test_a_receipt_that_was_changed_is_forged(receipt: Receipt, field: str, other: str) -> None:
    record = sign(receipt, SECRET)
    if record[field] != other:
        assert flaw({**record, field: other}) is Flaw.FORGED


@given(receipts)
def test_texts_that_move_from_one_field_to_the_next_are_another_receipt(receipt: Receipt) -> None:
    shifted = Receipt(
        operation_id=receipt.operation_id + receipt.payload_hash[0],
        payload_hash=receipt.payload_hash[1:] or "x",
        effect_ref=receipt.effect_ref,
    )
    assert sign(receipt, SECRET)["signature"] != sign(shifted, SECRET)["signature"]


def test_another_key_signs_another_receipt() -> None:
    assert flaw(sign(RECEIPT, b"a secret of somebody else")) is Flaw.FORGED


@pytest.mark.parametrize("signature", [None, "", 5, ["x"]])
def test_without_a_signature_it_is_a_claim(signature: object) -> None:
    assert flaw({**sign(RECEIPT, SECRET), "signature": signature}) is Flaw.UNSIGNED


@pytest.mark.parametrize("secret", [None, b""])
def test_without_a_key_nothing_is_believed(secret: bytes | None) -> None:
    assert flaw(sign(RECEIPT, SECRET), secret) is Flaw.NO_KEY


@pytest.mark.parametrize("signature", ["forged", "sha512:00", "ü", "\ud800", "hmac-sha512:" + "0" * 128])
def test_any_other_signature_is_forged(signature: str) -> None:
    assert flaw({**sign(RECEIPT, SECRET), "signature": signature}) is Flaw.FORGED


@pytest.mark.parametrize(
    "record",
    [
        None,
        "receipt",
        [],
        {},
        {"operation_id": "op-1"},
        {**sign(RECEIPT, SECRET), "effect_ref": None},
        {**sign(RECEIPT, SECRET), "effect_ref": ""},
        {**sign(RECEIPT, SECRET), "effect_ref": "x" * 1_025},
        {**sign(RECEIPT, SECRET), "effect_ref": "\ud800"},
        {**sign(RECEIPT, SECRET), "effect_ref": {"a": 1}},
    ],
)
def test_what_is_no_receipt_at_all_is_unreadable(record: object) -> None:
    assert flaw(record) is Flaw.UNREADABLE


@pytest.mark.parametrize("wrong", ["", "x" * 1_025, "\ud800"])
def test_nothing_is_signed_that_could_not_be_read_back(wrong: str) -> None:
    with pytest.raises(ValueError, match="effect_ref"):
        sign(replace(RECEIPT, effect_ref=wrong), SECRET)


def test_an_empty_key_signs_nothing() -> None:
    with pytest.raises(ValueError, match="COUNTERFOIL_HASH_KEY"):
        sign(RECEIPT, b"")


def test_no_hash_that_we_show_can_serve_as_a_signature() -> None:
    """The same secret hashes requests and keys whose text a model or a client chooses, and those hashes are shown."""
    signature = sign(RECEIPT, SECRET)["signature"]
    signed_text = ["counterfoil receipt, version 1", RECEIPT.operation_id, RECEIPT.payload_hash, RECEIPT.effect_ref]
    for shown in (payload_hash(signed_text, SECRET), fingerprint("counterfoil receipt, version 1", SECRET)):
        assert shown is not None
        digest = shown.rpartition(":")[2]
        assert flaw({**sign(RECEIPT, SECRET), "signature": f"hmac-sha512:{digest}"}) is Flaw.FORGED
        derived = hmac.new(bytes.fromhex(digest), repr(signed_text).encode(), hashlib.sha512).hexdigest()
        assert not signature.endswith(derived)


def test_a_refusal_says_nothing_of_the_receipt() -> None:
    with pytest.raises(NotAReceipt) as refused:
        verified({**sign(RECEIPT, SECRET), "effect_ref": "payment-2"}, SECRET)
    assert "payment" not in str(refused.value)
    assert SECRET.decode() not in str(refused.value)


def test_a_verified_receipt_is_an_authoritative_effect() -> None:
    effect = effect_of(RECEIPT, observed_at=7)
    assert (effect.operation_id, effect.effect_ref, effect.payload_hash) == (
        "op-1",
        "payment-1",
        RECEIPT.payload_hash,
    )
    assert effect.authoritative
    assert (effect.source, effect.observed_at) == (PROVIDER_RECEIPT, 7)
