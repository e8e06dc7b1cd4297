-- A judge that ran today has not run for ten minutes. No alert is now not the same as no incident.
-- Window 24h, every 5m, notify when: has_matches_changed.
-- Runbook: runbooks/CounterfoilTelemetryMissing.md
SELECT service_name, round((extract(epoch FROM now()) - max(scalar_value))::numeric, 0) AS seconds_ago
FROM metrics
WHERE metric_name = 'counterfoil.heartbeat.timestamp'
GROUP BY service_name
HAVING extract(epoch FROM now()) - max(scalar_value) > 600
