-- Facts by operation, out of the logs that the collector's clickhouse exporter writes. Run it once, in the database of
-- `otel_logs`, where `LogAttributes` is a Map (the exporter's default). It touches no table that is there already.
--
-- A fact that came twice is one row: the engine keeps one of those with the same key, and readers ask with FINAL.
-- For retention add to the table: TTL arrived + INTERVAL 400 DAY. An operation is judged by what is still there.

CREATE TABLE IF NOT EXISTS counterfoil_facts
(
    operation_id String CODEC(ZSTD(1)),             -- empty: a gap, which belongs to no operation
    fact String CODEC(ZSTD(1)),                     -- a name made from the fact's content
    kind LowCardinality(String),
    version UInt16,                                 -- of evidence; a reader refuses what is newer than itself
    record String CODEC(ZSTD(1)),                   -- the fact as JSON: hashes and names, no content
    arrived DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree
ORDER BY (operation_id, fact);

CREATE MATERIALIZED VIEW IF NOT EXISTS logs_to_counterfoil_facts TO counterfoil_facts AS
SELECT
    LogAttributes['counterfoil.operation.id'] AS operation_id,
    if(LogAttributes['counterfoil.fact.id'] = '', lower(hex(SHA256(record))), LogAttributes['counterfoil.fact.id']) AS fact,
    LogAttributes['counterfoil.fact.kind'] AS kind,
    if(
        LogAttributes['counterfoil.fact.version'] = '',
        1,
        toUInt16OrDefault(LogAttributes['counterfoil.fact.version'], toUInt16(65535))
    ) AS version,
    if(                                             -- a fact without its record leaves its operation in doubt
        LogAttributes['counterfoil.fact.record'] = '',
        toJSONString(map('operation_id', operation_id, 'kind', kind)),
        LogAttributes['counterfoil.fact.record']
    ) AS record
FROM otel_logs
WHERE EventName = 'counterfoil.fact' OR LogAttributes['event.name'] = 'counterfoil.fact';
