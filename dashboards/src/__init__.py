"""What the dashboards, rules and queries are generated from. `python -m dashboards.src` writes them.

Nothing in here is part of the installed package: what ships is what this writes.
"""
