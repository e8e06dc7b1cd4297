"""The world outside: providers with a book of their own, and the wire to them. It knows nothing of verdicts."""
