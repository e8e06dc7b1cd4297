"""The three ledgers, as the ledger's own tests have them."""

from tests.ledger.conftest import durable_url, ledger, postgres, url

__all__ = ["durable_url", "ledger", "postgres", "url"]
