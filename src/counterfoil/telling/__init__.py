"""A telling becomes a span with links, metrics and an event. Nothing in here judges, and nothing raises."""
