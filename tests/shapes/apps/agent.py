"""A Pydantic AI agent that calls one tool. Nothing in here knows of telemetry but the receipt."""

from opentelemetry import trace
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    if any(isinstance(message, ModelResponse) for message in messages):
        return ModelResponse(parts=[TextPart("done")])
    return ModelResponse(parts=[ToolCallPart("charge", {"amount": 4711}, tool_call_id="call-1")])


agent = Agent(FunctionModel(model), name="payer")


@agent.tool_plain
def charge(amount: int) -> dict[str, str]:
    trace.get_current_span().set_attributes(
        {
            "counterfoil.operation.id": "order-1",
            "counterfoil.effect.ref": "ch-1",
            "counterfoil.effect.authoritative": True,
        }
    )
    return {"id": "ch-1", "charged": str(amount)}


if __name__ == "__main__":
    print(agent.run_sync("Charge.").output)
