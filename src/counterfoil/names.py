"""Names on the wire: every attribute, span, event and setting, once; metrics are in `counterfoil.instruments`.

`telemetry.yaml` is the contract for people and for other programs; this module is the same for code, and a test holds
the two together. Nobody else spells such a name.
"""

from __future__ import annotations

SCOPE = "counterfoil"
"""The instrumentation scope of all that we say. What has it is ours and is never read back."""

# ------------------------------------------------- read from any span, or from baggage

OPERATION_ID = "counterfoil.operation.id"
INTENT_REF = "counterfoil.intent.ref"
SIDE_EFFECT = "counterfoil.side_effect"
EXPECTED_COUNT = "counterfoil.expected_count"
REQUEST_HASH = "counterfoil.request.hash"
IDEMPOTENCY_KEY = "counterfoil.idempotency_key"
KEY_SCOPE = "counterfoil.key_scope"
EFFECT_REF = "counterfoil.effect.ref"
EFFECT_COUNT = "counterfoil.effect.count"
EFFECT_SOURCE = "counterfoil.effect.source"
EFFECT_AUTHORITATIVE = "counterfoil.effect.authoritative"
EFFECT_ABOUT_REF = "counterfoil.effect.about_ref"
EFFECT_COMPENSATES = "counterfoil.effect.compensates"
EFFECT_CONFORMS = "counterfoil.effect.conforms"
EFFECT_STAGE = "counterfoil.effect.stage"
REPORTED = "counterfoil.reported"
EXECUTED = "counterfoil.executed"
PROOF = "counterfoil.proof"
ADVICE = "counterfoil.advice"
CONSULT_MODE = "counterfoil.consult.mode"
CONSULT_RESULT = "counterfoil.consult.result"
CONSULT_PROVIDER = "counterfoil.consult.provider"
CONSULT_MODEL = "counterfoil.consult.model"
CONSULT_HISTORY = "counterfoil.consult.history_forwarded"

READ = (
    OPERATION_ID,
    INTENT_REF,
    SIDE_EFFECT,
    EXPECTED_COUNT,
    REQUEST_HASH,
    IDEMPOTENCY_KEY,
    KEY_SCOPE,
    EFFECT_REF,
    EFFECT_COUNT,
    EFFECT_SOURCE,
    EFFECT_AUTHORITATIVE,
    EFFECT_ABOUT_REF,
    EFFECT_COMPENSATES,
    EFFECT_CONFORMS,
    EFFECT_STAGE,
    REPORTED,
    EXECUTED,
    PROOF,
    ADVICE,
    CONSULT_MODE,
    CONSULT_RESULT,
    CONSULT_PROVIDER,
    CONSULT_MODEL,
    CONSULT_HISTORY,
)

# ------------------------------------------------------------- said with a verdict

VERDICT = "counterfoil.verdict"
OUTCOME = "counterfoil.outcome"
FINDINGS = "counterfoil.findings"
REASON = "counterfoil.reason"
SEVERITY = "counterfoil.severity"
NEXT_ACTION = "counterfoil.next_action"
REVISION = "counterfoil.revision"
SETTLED = "counterfoil.settled"
RESOLVED = "counterfoil.resolved"
IDENTITY_SOURCE = "counterfoil.identity.source"
ATTEMPT_COUNT = "counterfoil.attempt.count"
EFFECT_REFS = "counterfoil.effect.refs"
EXPLANATION = "counterfoil.explanation"
TWIN_OF = "counterfoil.twin.of"
ROLE = "counterfoil.role"

# ------------------------------------------- said on a tool's own span, by the capability

TOOL_OUTCOME = "counterfoil.tool.outcome"
GUARD_MODE = "counterfoil.guard.mode"
GUARD_DECISION = "counterfoil.guard.decision"

# ----------------------------------------------- others' words, which we say as they do

TOOL_NAME = "gen_ai.tool.name"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION_ID = "gen_ai.conversation.id"
ERROR_TYPE = "error.type"
LOGFIRE_MSG = "logfire.msg"
LOGFIRE_LEVEL = "logfire.level_num"

VERDICT_ATTRIBUTES = (
    OPERATION_ID,
    VERDICT,
    OUTCOME,
    FINDINGS,
    REASON,
    SEVERITY,
    NEXT_ACTION,
    REVISION,
    SETTLED,
    RESOLVED,
    IDENTITY_SOURCE,
    ATTEMPT_COUNT,
    EFFECT_COUNT,
    EFFECT_REFS,
    REQUEST_HASH,
    EXPLANATION,
    TWIN_OF,
    TOOL_NAME,
    AGENT_NAME,
    CONVERSATION_ID,
    LOGFIRE_MSG,
    LOGFIRE_LEVEL,
)

VERDICT_SPAN = "verdict {gen_ai.tool.name}"
VERDICT_EVENT = "counterfoil.verdict"
FACT_EVENT = "counterfoil.fact"
FACT_ID = "counterfoil.fact.id"
FACT_KIND = "counterfoil.fact.kind"
FACT_RECORD = "counterfoil.fact.record"
FACT_VERSION = "counterfoil.fact.version"
CONSULT_EVENT = "counterfoil.consult.result"
CONSULT_ATTRIBUTES = (
    CONSULT_MODE,
    CONSULT_RESULT,
    CONSULT_PROVIDER,
    CONSULT_MODEL,
    CONSULT_HISTORY,
    EXPLANATION,
    AGENT_NAME,
    CONVERSATION_ID,
)
FACT_ATTRIBUTES = (OPERATION_ID, FACT_ID, FACT_KIND, FACT_RECORD, FACT_VERSION)

# ------------------------------------------- said of a message list before it is replayed

HISTORY_VERDICT = "counterfoil.history.verdict"
HISTORY_FINDINGS = "counterfoil.history.findings"
HISTORY_STATE = "counterfoil.history.state"
HISTORY_DECISION = "counterfoil.history.decision"
HISTORY_CALLS = "counterfoil.history.calls"
HISTORY_MESSAGES = "counterfoil.history.messages"
HISTORY_RECEIPTS = "counterfoil.history.receipts"
HISTORY_REPAIR = "counterfoil.history.repair"
HISTORY_REPAIRED = "counterfoil.history.repaired"
HISTORY_ATTRIBUTES = (
    HISTORY_VERDICT,
    HISTORY_FINDINGS,
    HISTORY_STATE,
    HISTORY_DECISION,
    HISTORY_CALLS,
    HISTORY_MESSAGES,
    HISTORY_RECEIPTS,
    SEVERITY,
    NEXT_ACTION,
    EXPLANATION,
    AGENT_NAME,
    CONVERSATION_ID,
    LOGFIRE_MSG,
    LOGFIRE_LEVEL,
)
HISTORY_SPAN = "history verdict"
HISTORY_EVENT = "counterfoil.history.verdict"
REPAIR_EVENT = "counterfoil.history.repair"
REPAIR_ATTRIBUTES = (HISTORY_REPAIR, HISTORY_REPAIRED, HISTORY_CALLS, AGENT_NAME, CONVERSATION_ID)

# --------------------------------------------------------- said with a metric only

FINDING = "counterfoil.finding"
TRANSPORT = "counterfoil.transport"
STATE = "counterfoil.state"
READER = "counterfoil.reader"

# -------------------------------------------------------------------------- settings

ENABLED_SETTING = "COUNTERFOIL_ENABLED"
CONFIG_SETTING = "COUNTERFOIL_CONFIG"
LEDGER_SETTING = "COUNTERFOIL_LEDGER"
SETTLE_AFTER_SETTING = "COUNTERFOIL_SETTLE_AFTER"
DEADLINE_SETTING = "COUNTERFOIL_DEADLINE"
HASH_KEY_SETTING = "COUNTERFOIL_HASH_KEY"
HASH_KEY_FILE_SETTING = "COUNTERFOIL_HASH_KEY_FILE"
INSTRUMENT_PYDANTIC_AI_SETTING = "COUNTERFOIL_INSTRUMENT_PYDANTIC_AI"
EMIT_SETTING = "COUNTERFOIL_EMIT"
VERDICT_SPANS_SETTING = "COUNTERFOIL_VERDICT_SPANS"
MAX_OPERATIONS_SETTING = "COUNTERFOIL_MAX_OPERATIONS"
CAPTURE_KEYS_SETTING = "COUNTERFOIL_CAPTURE_KEYS"
RECORD_ALL_SETTING = "COUNTERFOIL_RECORD_ALL"
PROBE_IN_PROCESS_SETTING = "COUNTERFOIL_PROBE_IN_PROCESS"

SETTINGS = (
    ENABLED_SETTING,
    CONFIG_SETTING,
    LEDGER_SETTING,
    SETTLE_AFTER_SETTING,
    DEADLINE_SETTING,
    HASH_KEY_SETTING,
    HASH_KEY_FILE_SETTING,
    INSTRUMENT_PYDANTIC_AI_SETTING,
    EMIT_SETTING,
    VERDICT_SPANS_SETTING,
    MAX_OPERATIONS_SETTING,
    RECORD_ALL_SETTING,
    CAPTURE_KEYS_SETTING,
    PROBE_IN_PROCESS_SETTING,
)
TOOL_SETTINGS = (
    "side_effect",
    "operation_id",
    "idempotency_key",
    "effect_ref",
    "effect_stage",
    "intent_ref",
    "volatile",
    "key_scope",
    "key_ttl",
    "expected_count",
    "settle_after",
    "deadline",
    "probe",
    "expect",
    "idempotent",
    "advice",
)
