-- An effect in the real world is wrong. Don't retry: look at the trace and the operation's links.
-- Window 1m, every 1m, notify when: has_matches.
-- Runbook: runbooks/CounterfoilIncidentOpen.md
SELECT trace_id, span_id, service_name, attributes->>'counterfoil.verdict' AS verdict, attributes->>'gen_ai.tool.name' AS tool, attributes->>'counterfoil.operation.id' AS operation, attributes->>'counterfoil.explanation' AS why
FROM records
WHERE kind = 'span' AND otel_scope_name = 'counterfoil' AND attributes->>'counterfoil.verdict' IS NOT NULL AND attributes->>'counterfoil.verdict' IN ('key_conflict', 'duplicate_effect', 'false_success', 'outcome_mismatch')
ORDER BY start_timestamp DESC
