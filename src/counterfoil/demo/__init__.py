"""A real agent, a real provider that fails on purpose, and the verdicts that came of it.

`counterfoil demo` runs it; `run` is the function behind. Needs the extra `demo`.
"""
