"""An agent on the OpenAI Agents SDK: a lost answer, the model tries again under a new call id, one charge.

pip install counterfoil openai-agents httpx
export COUNTERFOIL_LEDGER=sqlite:///ledger.db
python examples/openai_agents_retry.py
counterfoil show charge:order-7
"""

from __future__ import annotations

import httpx
from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call
from charging_provider import charging_provider

import counterfoil

ORDER = {"order": "order-7", "cents": 4_900}
SCRIPT = [
    [function_call("charge", ORDER, call_id="call_1")],
    [function_call("charge", ORDER, call_id="call_2")],  # it was told of an error, and tries again
    [assistant_message("The order is paid.")],
]


def main() -> None:
    set_tracing_disabled(True)
    with charging_provider() as provider:

        @function_tool
        def charge(order: str, cents: int) -> str:
            """Charge the customer's card."""
            request = {"order": order, "cents": cents}
            with counterfoil.operation(f"charge:{order}", tool="charge", request=request) as operation:
                headers = {"Idempotency-Key": operation.idempotency_key}  # made from the order, and not from the call
                body = {**request, "metadata": operation.metadata}
                answer = httpx.post(provider.url, json=body, headers=headers, timeout=30)
                operation.receipt(answer.json()["id"])
            return "paid"

        agent = Agent("shop", model=ScriptedModel(SCRIPT), tools=[charge])
        print(Runner.run_sync(agent, "Charge order 7.").final_output)
        print(f"the provider holds {len(provider.charges)} charge(s)")


if __name__ == "__main__":
    main()
