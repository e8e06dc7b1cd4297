"""The contract of a replay from wherever it is written down: in code, in a mapping, in a TOML or JSON file."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from counterfoil.histories.contract import HistoryContract
from counterfoil.reading.contracts import ContractError, contract_from

LARGEST_FILE = 2**20
"""The largest contract that is read, in bytes."""

Contract = HistoryContract | Mapping[str, object] | os.PathLike[str]


def terms_of(contract: Contract | None, provenance: str | None = None) -> HistoryContract:
    """The contract, with the provenance that the caller knows in place of its own. Raises `ContractError`."""
    if isinstance(contract, os.PathLike):
        contract = contract_from(_table(Path(contract)))
    elif not isinstance(contract, HistoryContract):
        contract = contract_from({} if contract is None else contract)
    if provenance is None:
        return contract
    return replace(contract, provenance=contract_from({"provenance": provenance}).provenance)


def _table(path: Path) -> object:
    """TOML, unless the text begins as a JSON object does, which no TOML can."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as wrong:
        raise ContractError(f"the contract can't be read: {wrong.strerror or type(wrong).__name__}") from None
    if len(content) > LARGEST_FILE:
        raise ContractError("the contract is larger than 1 MiB")
    try:
        said = content.decode()
        return json.loads(said) if said.lstrip().startswith("{") else tomllib.loads(said)
    except (ValueError, RecursionError):  # which a broken encoding, broken JSON and broken TOML are
        raise ContractError("the contract is neither TOML nor JSON") from None
