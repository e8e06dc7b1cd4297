"""The world outside: providers with books of their own, and the wire that leads to them. It knows nothing of verdicts."""
