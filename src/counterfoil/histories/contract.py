"""What a stored message list has to meet before it may be replayed: said by whoever stores it, never by the list."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A legitimate wait: who decides, what, until when (nanoseconds since 1970), and how the run is taken up again.

    ``calls``: ids of the tool calls that wait; None: every call without a result in the last response. The token is
    kept so that whoever resumes has it. It is in no output and no representation.
    """

    owner: str
    decision: str
    expires_at: int
    resume_token: str = field(repr=False)
    calls: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryContract:
    """The terms of a replay. ``None`` and empty: not said, and then not asked for; only provenance must be said.

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
    waiting: Wait | None = None


def prompt_digest(prompt: str, secret: bytes | None = None) -> str:
    """The digest of one system prompt's text (UTF-8), as `sha256sum` makes it; with a secret an HMAC, which nobody
    without it can try guesses on."""
    content = prompt.encode("utf-8", "surrogatepass")
    if secret:
        return "hmac-sha256:" + hmac.new(secret, content, hashlib.sha256).hexdigest()
    return "sha256:" + hashlib.sha256(content).hexdigest()
