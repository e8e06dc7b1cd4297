"""A judge for hosts that share no database: facts come in by OTLP, are kept in a ledger, judged, and told by OTLP."""
