"""Tools for frameworks that leave no spans of their own: the application says by itself what it does."""

from __future__ import annotations

import counterfoil
from prove.agents.client import Client, NoAnswer
from prove.plan import ASYNC


async def make(client: Client, reference: str, amount: int) -> str:
    """Make one object, as one operation. The provider's name for it, or what the model is told instead."""
    tool = f"make_{client.plan.resource}"
    request = {"reference": reference, "amount": amount}
    with counterfoil.operation(reference, tool=tool, request=request, key_scope="account") as operation:
        try:
            made = await client.make(reference, amount)
        except NoAnswer as problem:
            return str(problem)
        if "id" in made:
            operation.receipt(str(made["id"]), stage="accepted" if client.plan.resource in ASYNC else None)
        return str(made)
