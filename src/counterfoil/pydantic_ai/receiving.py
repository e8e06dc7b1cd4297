"""The receipt in what a tool gave back: where an operator says it stands, in a ``ToolReturn``'s metadata, or both.

If there is a key to sign with, the receipt goes into the metadata of the tool's return as well: then a stored list of
messages proves the effect later. The model doesn't see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ToolReturn
from pydantic_core import to_jsonable_python

from counterfoil.config import Place
from counterfoil.names import EFFECT_REF, OPERATION_ID
from counterfoil.pydantic_ai.calls import Call
from counterfoil.pydantic_ai.declaring import Declared, complain
from counterfoil.reading.requests import names_at
from counterfoil.receipts import RECEIPT, Receipt, sign
from counterfoil.stated import Stated


def received(result: Any, says: Declared, one: Call, stated: Stated, secret: bytes | None) -> Any:
    """Take the receipt down, and give the result on, with its receipt where that can be signed. Never raises."""
    try:
        for ref in _refs(result, says):
            if ref not in stated.refs:
                stated.receipt(ref, stage=says.effect_stage)
        if not stated.refs or not stated.authoritative or stated.stage == "accepted" or secret is None:
            return result
        if one.payload_hash is None:
            return result
        receipt = Receipt(operation_id=one.operation_id, payload_hash=one.payload_hash, effect_ref=stated.refs[0])
        return _with(result, {OPERATION_ID: one.operation_id, RECEIPT: sign(receipt, secret)})
    except Exception as error:
        complain(one.tool, f"its receipt could not be read: {type(error).__name__}")
        return result


def _refs(result: Any, says: Declared) -> tuple[str, ...]:
    value = result.return_value if isinstance(result, ToolReturn) else result
    if says.effect_ref is not None and says.effect_ref.place is Place.RESULT:
        plain = value if isinstance(value, Mapping | list | str | int) else to_jsonable_python(value)
        if found := names_at(says.effect_ref, {Place.RESULT: plain}):
            return found
    metadata = result.metadata if isinstance(result, ToolReturn) else None
    ref = metadata.get(EFFECT_REF) if isinstance(metadata, Mapping) else None
    return (ref,) if isinstance(ref, str) and ref else ()


def _with(result: Any, more: Mapping[str, Any]) -> Any:
    if not isinstance(result, ToolReturn):
        return ToolReturn(return_value=result, metadata=dict(more))
    if result.metadata is not None and not isinstance(result.metadata, Mapping):
        return result  # it is the application's own, and there is no room in it
    return replace(result, metadata={**(result.metadata or {}), **more})
