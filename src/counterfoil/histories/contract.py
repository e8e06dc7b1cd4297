"""What a stored message list has to meet before it may be replayed: said by whoever stores it, never by the list."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

from counterfoil.histories.terms import Terms


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
class HistoryContract(Terms):
    """The terms of a replay, as `Terms` explains them. ``waiting``: the wait that the list's open calls are in."""

    waiting: Wait | None = None


def prompt_digest(prompt: str, secret: bytes | None = None) -> str:
    """The digest of one system prompt's text (UTF-8), as `sha256sum` makes it; with a secret an HMAC, which nobody
    without it can try guesses on."""
    content = prompt.encode("utf-8", "surrogatepass")
    if secret:
        return "hmac-sha256:" + hmac.new(secret, content, hashlib.sha256).hexdigest()
    return "sha256:" + hashlib.sha256(content).hexdigest()
