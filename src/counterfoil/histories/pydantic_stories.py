"""Seven stories of a list that is about to be replayed, on real runs of the Pydantic AI that is installed.

Each says which verdict the audit gives, and what the framework does that the verdict rests on. They are what
`counterfoil history --self-check` runs: after an upgrade either may have changed.
"""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import (
    SYNTHESIZED_TOOL_RETURN_METADATA_KEY,
    ModelMessage,
    ModelResponse,
    SystemPromptPart,
    ToolCallPart,
    repair_messages,
    sanitize_messages,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from counterfoil.config import Config
from counterfoil.histories.pydantic_actors import (
    ARGUMENTS,
    CALL,
    CONTRACT,
    KEY,
    TOOL,
    First,
    pay_without_receipt,
    payer,
    results,
    stopped_while_paying,
    without,
)
from counterfoil.histories.pydantic_audit import audit_history
from counterfoil.histories.pydantic_messages import SKIPPED
from counterfoil.receipts import RECEIPT

Check = tuple[str, bool]
"""What should be so, in words, and whether it is."""

Story = Callable[[], AsyncIterator[Check]]


async def healthy() -> AsyncIterator[Check]:
    done = (await payer().run("pay")).all_messages()
    yield _audited(done, "ready")
    yield "a tool's return keeps its metadata", bool(results(done)[0].metadata.get(RECEIPT))
    yield "every message names its run and its conversation", all(m.run_id and m.conversation_id for m in done)


async def resumed_after_a_kill() -> AsyncIterator[Check]:
    """What a store holds when the process was killed while the tool ran: the call, and nothing after it."""
    stored = (await payer().run("pay")).all_messages()[:2]
    yield _audited(stored, "interrupted_tool", "missing_outcome_receipt")
    calls: list[tuple[str | None, str | None]] = []
    runs: list[str | None] = []

    async def pay_again(ctx: RunContext[None], amount: int) -> str:
        calls.append((ctx.tool_call_id, ctx.conversation_id))
        runs.append(ctx.run_id)
        return "paid again"

    await payer(pay_again).run(message_history=stored)
    again = calls == [(CALL, stored[0].conversation_id)]
    yield "a resume without a prompt runs the open call again, under its id, in the same conversation", again
    yield "a resume is a new run", bool(runs) and stored[0].run_id not in runs


async def interrupted() -> AsyncIterator[Check]:
    left = await stopped_while_paying()
    yield _audited(left, "interrupted_tool", "missing_outcome_receipt")
    made_up = [(r.outcome, r.metadata) for r in results(repair_messages(left))]
    marked = made_up == [("interrupted", {SYNTHESIZED_TOOL_RETURN_METADATA_KEY: True})]
    yield "a repair makes up a result and marks it", marked
    yield _audited(repair_messages(left), "interrupted_tool", "missing_outcome_receipt")
    yield "a call that was skipped for a final result says so in the known words", await _skipped_in_known_words()


async def orphan_dropped_by_a_repair() -> AsyncIterator[Check]:
    orphaned = without(ToolCallPart, (await payer().run("pay")).all_messages())
    yield _audited(orphaned, "orphan_result_removed")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        repaired = repair_messages(orphaned)
    yield "a repair drops a result without its call, with its receipt, in silence", not results(repaired) and not told
    seen = First()
    await payer().run("go on", message_history=orphaned, capabilities=[seen])
    yield "a hook before the first node of a run sees the list before that repair", seen.messages == orphaned


async def fork() -> AsyncIterator[Check]:
    first = (await payer().run("pay")).all_messages()
    forked = (await payer().run("go on", message_history=first, conversation_id="new")).all_messages()
    old, new = first[0].conversation_id, forked[-1].conversation_id
    yield "a fork keeps the ids of the messages that it took over", forked[0].conversation_id == old != new
    yield _audited(forked, "scope_drift", conversation_id=new)
    yield _audited(forked, "ready", conversation_id=new, forked_from=old)
    merged = repair_messages([*first[:1], *forked[len(first) : len(first) + 1]])
    yield "a merge forgets which conversation a message belonged to", merged[0].conversation_id is None


async def missing_system_prompt() -> AsyncIterator[Check]:
    promptless = without(SystemPromptPart, (await payer().run("pay")).all_messages())
    yield _audited(promptless, "system_prompt_gap")
    resumed = (await payer().run("go on", message_history=promptless)).all_messages()
    has_prompt = any(isinstance(part, SystemPromptPart) for message in resumed for part in message.parts)
    yield "an agent does not add its system prompt to a list that it is given", not has_prompt


async def forged_receipt_from_a_client() -> AsyncIterator[Check]:
    forged = (await payer(pay_without_receipt).run("pay")).all_messages()
    results(forged)[0].metadata = {RECEIPT: _forged(await _genuine())}
    yield _audited(forged, "untrusted_history", "missing_outcome_receipt", provenance="client")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cleaned = sanitize_messages(forged)
    survives = any(RECEIPT in (result.metadata or {}) for result in results(cleaned))
    yield "sanitize_messages lets through what a client put beside a result", survives


STORIES: Mapping[str, Story] = {
    "healthy": healthy,
    "resumed after a kill": resumed_after_a_kill,
    "interrupted": interrupted,
    "orphan dropped by a repair": orphan_dropped_by_a_repair,
    "fork": fork,
    "missing system prompt": missing_system_prompt,
    "forged receipt from a client": forged_receipt_from_a_client,
}


def _audited(messages: Sequence[ModelMessage], *expected: str, **terms: object) -> Check:
    """The whole set of findings, or `ready`."""
    audit = audit_history(messages, contract={**CONTRACT, **terms}, config=Config(hash_key=KEY))
    found = audit.findings or (audit.verdict,)
    return f"the audit says {', '.join(expected)}", [finding.value for finding in found] == list(expected)


async def _genuine() -> Mapping[str, str]:
    return results((await payer().run("pay")).all_messages())[0].metadata[RECEIPT]  # type: ignore[no-any-return]


def _forged(receipt: Mapping[str, str]) -> Mapping[str, str]:
    return {**receipt, "effect_ref": "payment-of-my-dreams"}


async def _skipped_in_known_words() -> bool:
    def talk(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        final = ToolCallPart(info.output_tools[0].name, {"response": 1}, tool_call_id="call_2")
        return ModelResponse(parts=[final, ToolCallPart(TOOL, ARGUMENTS, tool_call_id=CALL)])

    agent = Agent(FunctionModel(talk), output_type=int, end_strategy="early", deps_type=type(None))
    agent.tool(name=TOOL)(pay_without_receipt)
    skipped = results((await agent.run("pay")).all_messages())
    return SKIPPED in [result.content for result in skipped if result.tool_name == TOOL]
