"""A graph on LangGraph: a lost answer, a retry by the node's policy, one charge.

pip install counterfoil langgraph httpx
export COUNTERFOIL_LEDGER=sqlite:///ledger.db
python examples/langgraph_retry.py
counterfoil show charge:order-7
"""

from __future__ import annotations

import httpx
from charging_provider import charging_provider
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import RetryPolicy

import counterfoil

ASKS = AIMessage("", tool_calls=[{"name": "charge", "args": {"order": "order-7", "cents": 4_900}, "id": "call_1"}])
RETRY = RetryPolicy(max_attempts=3, initial_interval=0.01, retry_on=httpx.TransportError)


def main() -> None:
    with charging_provider() as provider:

        @tool
        def charge(order: str, cents: int) -> str:
            """Charge the customer's card."""
            request = {"order": order, "cents": cents}
            with counterfoil.operation(f"charge:{order}", tool="charge", request=request) as operation:
                headers = {"Idempotency-Key": operation.idempotency_key}  # the same one, however often it is retried
                body = {**request, "metadata": operation.metadata}
                answer = httpx.post(provider.url, json=body, headers=headers, timeout=30)
                operation.receipt(answer.json()["id"])
            return "paid"

        model = GenericFakeChatModel(messages=iter([ASKS, AIMessage("The order is paid.")]))
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
        graph.add_node("tools", ToolNode([charge], handle_tool_errors=False), retry_policy=RETRY)
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")

        done = graph.compile().invoke({"messages": [("user", "Charge order 7.")]})
        print(done["messages"][-1].content)
        print(f"the provider holds {len(provider.charges)} charge(s)")


if __name__ == "__main__":
    main()
