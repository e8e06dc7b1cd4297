-- An operation may have taken effect and nobody knows. Probe or ask; never retry on a guess.
-- Window 5m, every 5m, notify when: has_matches.
-- Runbook: runbooks/CounterfoilVerificationStuck.md
SELECT trace_id, span_id, service_name, attributes->>'counterfoil.verdict' AS verdict, attributes->>'gen_ai.tool.name' AS tool, attributes->>'counterfoil.operation.id' AS operation, attributes->>'counterfoil.reason' AS reason
FROM records
WHERE kind = 'span' AND otel_scope_name = 'counterfoil' AND attributes->>'counterfoil.verdict' IS NOT NULL AND attributes->>'counterfoil.verdict' = 'indeterminate' AND attributes->>'counterfoil.severity' = 'ticket'
  AND NOT coalesce(attributes->>'counterfoil.reason' = 'unverified', false)
ORDER BY start_timestamp DESC
