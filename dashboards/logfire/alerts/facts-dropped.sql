-- Evidence was lost. A lost fact can hide a bad verdict but not invent one.
-- Window 15m, every 15m, notify when: starts_having_matches.
-- Runbook: runbooks/CounterfoilFactsDropped.md
SELECT service_name, attributes->>'error.type' AS cause, metric_increase(value, recorded_timestamp) AS rise
FROM metrics
WHERE metric_name = 'counterfoil.facts.dropped'
GROUP BY service_name, cause
HAVING metric_increase(value, recorded_timestamp) > 0
