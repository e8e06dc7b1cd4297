"""A setting that is wrong is told with its value, unless that could hold a secret."""

from __future__ import annotations

import pytest

from counterfoil.config import Config
from counterfoil.errors import ConfigError
from counterfoil.ledger import AddressError, open_ledger

PASSWORD = "hunter2-hunter2-hunter2"
ADDRESSES = [
    f"mysql://bob:{PASSWORD}@db/shop",
    f"postgres:bob:{PASSWORD}@db/shop",
    f"postgress://bob:a/{PASSWORD}@db/shop",
    f"mysql://[bob:{PASSWORD}@db/shop",
    f"mysql://bob:a?{PASSWORD}@db/shop",
    f"mysql://db/shop?user=bob&password={PASSWORD}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_ledgers_address_is_told_without_its_password(address: str):
    _, (problem,) = Config.load({"COUNTERFOIL_LEDGER": address})
    with pytest.raises(ConfigError) as refused:
        Config(ledger=address).validate()
    with pytest.raises(AddressError) as unknown:
        open_ledger(address)
    for told in (str(problem), str(refused.value), str(unknown.value)):
        assert PASSWORD not in told
        assert "db/shop" in told


def test_a_hash_key_is_told_of_by_its_setting_only():
    """Also where somebody takes the setting for the file for the one that holds the key."""
    for setting in ("COUNTERFOIL_HASH_KEY_FILE", "COUNTERFOIL_HASH_KEYS", "COUNTERFOIL_HASHKEY"):
        _, (problem,) = Config.load({setting: PASSWORD})
        assert setting in str(problem)
        assert PASSWORD not in str(problem)
    _, (short,) = Config.load({"COUNTERFOIL_HASH_KEY": PASSWORD[:9]})
    assert PASSWORD[:9] not in str(short)
    assert PASSWORD not in repr(Config.load({"COUNTERFOIL_HASH_KEY": PASSWORD})[0])
