-- A call went out again where the provider could not know it.
-- Window 5m, every 5m, notify when: has_matches.
-- Runbook: runbooks/CounterfoilUnsafeRetrySeen.md
SELECT trace_id, span_id, service_name, attributes->>'counterfoil.verdict' AS verdict, attributes->>'gen_ai.tool.name' AS tool, attributes->>'counterfoil.operation.id' AS operation, attributes->>'counterfoil.attempt.count' AS attempts
FROM records
WHERE kind = 'span' AND otel_scope_name = 'counterfoil' AND attributes->>'counterfoil.verdict' IS NOT NULL AND attributes->>'counterfoil.findings' LIKE '%unsafe_retry%'
ORDER BY start_timestamp DESC
