"""The check: what was said of each operation, against the books of those who weren't asked."""
