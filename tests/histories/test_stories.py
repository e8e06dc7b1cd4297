"""Seven stories of a list that is about to be replayed, each on real runs of Pydantic AI."""

import warnings
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.conversation import Conversation, ConversationTypeAdapter
from pydantic_ai.messages import (
    ModelMessage,
    SystemPromptPart,
    ToolCallPart,
    repair_messages,
    sanitize_messages,
)
from pydantic_ai_harness import StepPersistence
from pydantic_ai_harness.step_persistence import InMemoryStepStore

from counterfoil.histories.history import HistoryVerdict, State
from counterfoil.histories.pydantic_actors import (
    TOOL,
    pay_without_receipt,
    payer,
    results,
    stopped_while_paying,
    without,
)
from counterfoil.receipts import RECEIPT
from tests.histories.lists import CONVERSATION, audited, dumped, findings, run


def paid_run(prompt: str = "pay", conversation: str = CONVERSATION, **how: Any) -> list[ModelMessage]:
    return run(payer().run(prompt, conversation_id=conversation, **how)).all_messages()


def test_a_healthy_run_is_ready() -> None:
    audit = audited(paid_run())
    assert audit.ready
    assert (audit.verdict, audit.findings, audit.receipts) == (HistoryVerdict.READY, (), 1)
    assert audit.explanation == "All six gates hold."


def test_a_conversation_of_several_runs_is_ready_although_its_call_ids_repeat() -> None:
    first = paid_run()
    both = paid_run("pay again", message_history=first)
    assert [part.tool_call_id for m in both for part in m.parts if isinstance(part, ToolCallPart)] == ["call_1"] * 2
    audit = audited(both)
    assert audit.ready
    assert audit.receipts == 2


def test_interrupted_a_cancelled_run_is_not_ready_and_a_repair_does_not_make_it_so() -> None:
    left = run(stopped_while_paying())
    terms = {"conversation_id": left[0].conversation_id}
    before = audited(left, **terms)
    assert before.verdict is HistoryVerdict.INTERRUPTED_TOOL
    assert findings(left, **terms) == ["interrupted_tool", "missing_outcome_receipt"]
    assert findings(repair_messages(left), **terms) == ["interrupted_tool", "missing_outcome_receipt"]
    assert "call:" in before.explanation
    assert "call_1" not in before.explanation


def test_an_orphan_is_seen_before_a_repair_drops_it_with_its_receipt() -> None:
    orphaned = without(ToolCallPart, paid_run())
    audit = audited(orphaned)
    assert [finding.value for finding in audit.findings] == ["orphan_result_removed"]
    assert [note.what for note in audit.notes] == ["holds a receipt that a repair would drop"]
    assert not results(repair_messages(orphaned)), "Pydantic AI no longer drops it"
    assert audited(repair_messages(orphaned)).ready, "after the repair nobody can tell"


def test_a_fork_must_be_declared_and_must_not_keep_the_original_id() -> None:
    forked = paid_run("go on", "conversation-2", message_history=paid_run())
    assert findings(forked, conversation_id="conversation-2") == ["scope_drift"]
    assert findings(forked, conversation_id="conversation-2", forked_from=CONVERSATION) == []
    assert findings(forked, conversation_id=CONVERSATION, forked_from=CONVERSATION) == ["scope_drift"]
    assert findings(forked, conversation_id="conversation-2", forked_from="conversation-3") == ["scope_drift"]


def test_a_merge_must_be_declared() -> None:
    merged = [*paid_run(), *paid_run("go on", "conversation-2")]
    assert findings(merged) == ["scope_drift"]
    assert findings(merged, merged_from=["conversation-2"]) == []


def test_a_list_without_the_system_prompt_is_not_ready() -> None:
    promptless = without(SystemPromptPart, paid_run())
    assert findings(promptless) == ["system_prompt_gap"]
    resumed = paid_run("go on", message_history=promptless)
    assert findings(resumed) == ["system_prompt_gap"], "Pydantic AI now adds the prompt to a list that it is given"


def test_a_forged_receipt_from_a_client_is_no_receipt() -> None:
    forged = run(payer(pay_without_receipt).run("pay", conversation_id=CONVERSATION)).all_messages()
    genuine = results(paid_run())[0].metadata[RECEIPT]
    results(forged)[0].metadata = {RECEIPT: {**genuine, "effect_ref": "payment-2"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forged = list(sanitize_messages(forged, strip_system_prompts=False))
    for message in forged:
        message.conversation_id = CONVERSATION
    audit = audited(forged, provenance="client")
    assert [finding.value for finding in audit.findings] == ["untrusted_history", "missing_outcome_receipt"]
    assert [note.what for note in audit.notes] == ["its receipt is forged, or signed with another key"]


def test_killed_while_paying_the_stored_call_is_interrupted() -> None:
    """A real process and a real signal: `test_killed.py`. This is the list that it leaves."""
    assert findings(paid_run()[:2]) == ["interrupted_tool", "missing_outcome_receipt"]


def test_a_call_that_waits_for_approval_is_not_interrupted() -> None:
    agent = Agent(payer().model, system_prompt="You pay.", output_type=[str, DeferredToolRequests])

    @agent.tool_plain(name=TOOL, requires_approval=True)
    def pay(amount: int) -> str:
        return "paid"

    waiting = run(agent.run("pay", conversation_id=CONVERSATION)).conversation
    audit = audited(waiting)
    assert audit.ready
    assert audit.state is State.WAITING
    assert [note.what for note in audit.notes] == [
        "it waits, with no owner, decision, expiry or resume token on record"
    ]
    assert audited(ConversationTypeAdapter.dump_json(waiting)) == audit, "and so says the stored conversation"
    assert findings(dumped(waiting.messages)) == ["interrupted_tool", "missing_outcome_receipt"], (
        "the messages alone don't say that they wait"
    )


def test_a_conversation_says_where_it_is_replayed_unless_the_contract_does() -> None:
    stored = Conversation(messages=paid_run(), conversation_id="conversation-2")
    assert findings(stored, conversation_id=None) == ["scope_drift"]
    assert findings(stored) == []


def test_a_step_store_is_asked_for_the_newest_snapshot() -> None:
    store = InMemoryStepStore()
    first = paid_run(capabilities=[StepPersistence(store=store)])
    assert audited(store).messages == len(first)
    both = paid_run("pay again", message_history=first, capabilities=[StepPersistence(store=store)])
    audit = audited(store)
    assert (audit.messages, audit.ready) == (len(both), True)


def test_a_wait_does_not_excuse_an_older_call_under_the_same_id() -> None:
    cut_off, waits = paid_run()[:2], paid_run("pay again")[:2]
    pending = DeferredToolRequests(approvals=[part for part in waits[1].parts if isinstance(part, ToolCallPart)])
    stored = Conversation(messages=[*cut_off, *waits], conversation_id=CONVERSATION, deferred_tool_requests=pending)
    assert findings(stored) == ["interrupted_tool", "missing_outcome_receipt"]


def test_a_wait_on_record_is_legitimate_until_it_expires() -> None:
    wait = {
        "owner": "finance",
        "decision": "approve the payment",
        "expires_at": "2026-01-02T00:00:00Z",
        "resume_token": "resume-1",
    }
    before, after = 1_767_225_600 * 10**9, 1_767_398_400 * 10**9
    stored = paid_run()[:2]
    audit = audited(stored, waiting=wait, now=before)
    assert (audit.ready, audit.state, audit.notes) == (True, State.WAITING, ())
    assert audit.as_json()["waiting"] == {key: said for key, said in wait.items() if key != "resume_token"}
    assert audited(stored, waiting=wait, now=after).state is State.STALLED
    assert "resume-1" not in repr(audit) + str(audit.as_json())
