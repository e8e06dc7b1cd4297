"""Records that others keep of what tools did, as facts; and what the facts come to, beside their records."""
