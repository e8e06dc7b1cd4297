"""The same clerk as a LangGraph graph: a node that plays the model, a node that runs its tools."""

from __future__ import annotations

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from prove.agents.client import Client
from prove.agents.stated_tools import make


async def run(client: Client) -> None:
    """One run."""

    @tool
    async def make_object(reference: str, amount: int) -> str:
        """Make one object."""
        return await make(client, reference, amount)

    def model(state: MessagesState) -> dict[str, list[AnyMessage]]:
        if any(isinstance(message, AIMessage) for message in state["messages"]):
            return {"messages": [AIMessage("That is done.")]}
        arguments = {"reference": client.plan.name, "amount": client.plan.amount}
        return {"messages": [AIMessage("", tool_calls=[{"name": "make_object", "args": arguments, "id": "call_0"}])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", model)
    graph.add_node("tools", ToolNode([make_object]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "model")
    await graph.compile().ainvoke({"messages": [HumanMessage("Do it.")]})
