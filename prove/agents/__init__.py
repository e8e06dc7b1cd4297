"""Agents, as people write them: tools over HTTP, some careful and some not, and a model that plays a script."""
