"""The terms that a message list has to meet: the same on its record and in a contract that is given by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """``None`` and empty: not said, and then not asked for; only provenance must be said.

    ``conversation_id`` is where the list will be replayed. ``prompt_digest`` is the digest of the system prompt
    (``sha256:…`` as `prompt_digest` makes it) or a revision that the prompt's metadata names; never the prompt.
    ``instructions_count``: instructions may stand in for the system prompt. ``side_effect_tools``: tools whose calls
    need a receipt. ``ledger_operations``: operations that the list must mention. ``progress_until`` is in nanoseconds
    since 1970.
    """

    conversation_id: str | None = None
    provenance: str | None = None
    owner: str | None = None
    caller: str | None = None
    authorization_context: str | None = None
    replay_context: str | None = None
    forked_from: str | None = None
    merged_from: frozenset[str] = frozenset()
    expects_system_prompt: bool | None = None
    prompt_digest: str | None = None
    instructions_count: bool = True
    side_effect_tools: frozenset[str] = frozenset()
    ledger_operations: frozenset[str] = frozenset()
    progress_until: int | None = None
