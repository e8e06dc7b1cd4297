"""The outside world of the demo: an HTTP provider of payments, tickets and mail, in a process of its own.

It keeps a book of truth in SQLite, deduplicates by `Idempotency-Key`, and fails in the way that a story has planned
for a reference. Standard library only, and nothing of Counterfoil: it could be anybody's server.
"""
