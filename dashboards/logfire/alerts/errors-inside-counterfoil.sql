-- A reader, a rule, a probe or the ledger failed. The application was not disturbed.
-- Window 15m, every 15m, notify when: starts_having_matches.
-- Runbook: runbooks/CounterfoilErrors.md
SELECT service_name, attributes->>'error.type' AS error, metric_increase(value, recorded_timestamp) AS rise
FROM metrics
WHERE metric_name = 'counterfoil.errors'
GROUP BY service_name, error
HAVING metric_increase(value, recorded_timestamp) > 0
