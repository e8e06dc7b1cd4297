"""What may go wrong with a ledger, in words that name the setting, the value and the way out.

No message holds a password, a fact or a statement: a ledger's address is shown by `shown`, which leaves the secret out.
"""

from __future__ import annotations

from enum import StrEnum

from counterfoil.config.values import shown

__all__ = ["WAY_OUT", "AddressError", "Kind", "LedgerFault", "shown"]


class Kind(StrEnum):
    """One word for each fault: what is counted, and what is told once."""

    FULL = "disk_full"
    READ_ONLY = "read_only"
    LOCKED = "locked"
    CORRUPT = "corrupt"
    PERMISSION = "permission"
    GONE = "gone"
    UNREACHABLE = "unreachable"
    TOO_NEW = "newer_schema"
    OTHER_SHARDS = "other_shards"
    UNSTORABLE = "unstorable"
    OTHER = "other"


WAY_OUT = {
    Kind.FULL: "free space on that disk; what was kept in memory is written then",
    Kind.READ_ONLY: "let this user write the file and its folder, or name another file",
    Kind.LOCKED: "some process has held it for long: see which one has the file open, and end it or wait",
    Kind.CORRUPT: "move the file aside and restore a copy; facts are kept in memory until there is a sound file",
    Kind.PERMISSION: "make the folder if there is none and let this user write in it, or name another file",
    Kind.GONE: "the file was deleted or replaced while in use; it is opened anew, what only the old one held is lost",
    Kind.UNREACHABLE: "see whether the server runs and lets this client in; facts wait and follow later",
    Kind.TOO_NEW: "upgrade counterfoil, or name another ledger",
    Kind.OTHER_SHARDS: "name the databases that it was begun with, all of them and in that order",
    Kind.UNSTORABLE: "give the operation a name of at most 1,024 characters of plain Unicode, without NUL",
    Kind.OTHER: "see the error's own name",
}


class LedgerFault(Exception):
    """A ledger could not do what was asked. Nothing of what was asked is in it: it was all or nothing."""

    def __init__(self, kind: Kind, ledger: str, what: str) -> None:
        super().__init__(f"{f'ledger {ledger}' if ledger else 'ledger'}: {what} ({kind.value}); {WAY_OUT[kind]}")
        self.kind = kind


class AddressError(ValueError):
    """COUNTERFOIL_LEDGER names no ledger that there is."""


class DriverError(AddressError):
    """It names one that needs a package that can't be loaded here."""
