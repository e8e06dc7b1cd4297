"""What a PostgreSQL ledger asks and writes, in PostgreSQL's words."""

from __future__ import annotations

LINKS = """
    INSERT INTO counterfoil_links SELECT * FROM unnest(%b::bytea[], %b::text[]) ON CONFLICT DO NOTHING
"""
FACTS_AND_DUE = """
    WITH new AS (
        INSERT INTO counterfoil_facts SELECT * FROM unnest(%b::text[], %b::bytea[], %b::bytea[])
        ON CONFLICT DO NOTHING RETURNING operation_id, fact
    ), asked AS (
        INSERT INTO counterfoil_due (at, operation_id, news)
        SELECT at, operation_id, true FROM unnest(%b::bigint[], %b::text[]) AS wanted (at, operation_id)
        WHERE operation_id IN (SELECT operation_id FROM new)
    )
    SELECT operation_id, fact FROM new
"""
GAPS_AND_DUE = """
    WITH new AS (
        INSERT INTO counterfoil_gaps SELECT * FROM unnest(%b::bytea[], %b::bytea[]) ON CONFLICT DO NOTHING RETURNING 1
    ), touched AS (
        SELECT operation_id FROM counterfoil_due
        UNION SELECT operation_id FROM counterfoil_told WHERE outcome = ANY(%b::text[])
    ), asked AS (
        INSERT INTO counterfoil_due (at, operation_id, news)
        SELECT %s, operation_id, false FROM touched WHERE EXISTS (SELECT FROM new)
    )
    SELECT count(*) FROM new
"""
"""An operation that is being judged still has its row here as others see it, so that no gap slips past a judge."""

FACTS = "SELECT operation_id, record FROM counterfoil_facts WHERE operation_id = ANY(%b::text[])"
GAPS = "SELECT record FROM counterfoil_gaps"
SHARING = """
    SELECT link, operation_id FROM unnest(%b::bytea[]) AS asked (wanted)
    CROSS JOIN LATERAL (
        SELECT link, operation_id FROM counterfoil_links WHERE link = wanted ORDER BY operation_id LIMIT %s
    ) AS found
"""
TOLD = """
    SELECT operation_id, revision, said, at, delivered FROM counterfoil_told WHERE operation_id = ANY(%b::text[])
"""
OPERATIONS = """
    SELECT DISTINCT operation_id FROM counterfoil_facts WHERE operation_id > %s ORDER BY operation_id LIMIT %s
"""
OPEN = """
    SELECT operation_id FROM (
        SELECT operation_id FROM counterfoil_told WHERE open
        UNION SELECT operation_id FROM counterfoil_due WHERE NOT EXISTS (
            SELECT FROM counterfoil_told WHERE counterfoil_told.operation_id = counterfoil_due.operation_id
        )
    ) AS waiting WHERE operation_id > %s ORDER BY operation_id LIMIT %s
"""
_IS_SETTLED = """
    NOT open AND delivered AND at < %s AND NOT EXISTS (
        SELECT FROM counterfoil_due WHERE counterfoil_due.operation_id = counterfoil_told.operation_id
    )
"""
SETTLED = f"""
    SELECT operation_id FROM counterfoil_told WHERE {_IS_SETTLED} AND operation_id > %s
    ORDER BY operation_id LIMIT %s
"""

RIPE = """
    SELECT operation_id FROM counterfoil_due WHERE at <= %s ORDER BY at LIMIT %s FOR UPDATE SKIP LOCKED
"""
OVERDUE = "SELECT at FROM counterfoil_due WHERE at <= %s ORDER BY at LIMIT %s"
LOCK = """
    SELECT name FROM unnest(%b::text[]) AS name WHERE pg_try_advisory_xact_lock(hashtextextended(name, 0))
"""
TAKE = """
    DELETE FROM counterfoil_due WHERE seq IN (
        SELECT seq FROM counterfoil_due WHERE operation_id = ANY(%b::text[]) FOR UPDATE SKIP LOCKED
    ) RETURNING operation_id, news
"""
ANNOUNCE = """
    INSERT INTO counterfoil_told AS known (operation_id, revision, at, delivered, open, outcome, said)
    SELECT operation_id, revision, at, false, open, outcome, said
    FROM unnest(%b::text[], %b::bigint[], %b::bigint[], %b::bool[], %b::text[], %b::text[])
        AS new (operation_id, revision, at, open, outcome, said)
    ON CONFLICT (operation_id) DO UPDATE SET (revision, at, delivered, open, outcome, said)
        = (excluded.revision, excluded.at, excluded.delivered, excluded.open, excluded.outcome, excluded.said)
    WHERE excluded.revision > known.revision
    RETURNING operation_id
"""
DELIVERED = """
    UPDATE counterfoil_told SET delivered = true
    FROM unnest(%b::text[], %b::bigint[]) AS new (operation_id, revision)
    WHERE counterfoil_told.operation_id = new.operation_id AND counterfoil_told.revision = new.revision
"""
WAKE = """
    INSERT INTO counterfoil_due (at, operation_id, news)
    SELECT at, operation_id, false FROM unnest(%b::bigint[], %b::text[]) AS new (at, operation_id)
"""
POSTPONE = """
    INSERT INTO counterfoil_due (at, operation_id, news)
    SELECT at, operation_id, news FROM unnest(%b::bigint[], %b::text[], %b::bool[]) AS new (at, operation_id, news)
"""
STILL_SETTLED = f"SELECT operation_id FROM counterfoil_told WHERE operation_id = ANY(%b::text[]) AND {_IS_SETTLED}"
FORGET_LINKS = """
    DELETE FROM counterfoil_links USING unnest(%b::bytea[], %b::text[]) AS gone (link, operation_id)
    WHERE counterfoil_links.link = gone.link AND counterfoil_links.operation_id = gone.operation_id
"""
FORGET = """
    WITH facts AS (DELETE FROM counterfoil_facts WHERE operation_id = ANY(%b::text[]))
    DELETE FROM counterfoil_told WHERE operation_id = ANY(%b::text[])
"""

LINKING = "SELECT pg_advisory_xact_lock_shared(hashtextextended(current_schema() || ' counterfoil links', 0))"
UNLINKING = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' counterfoil links', 0))"
"""Of several databases, the first has all links. A fact is written while they are: nobody forgets any between."""
