"""The one mutable object: what is known in this process, what has settled, and what was told of it."""

from counterfoil.book.book import Book
from counterfoil.book.telling import Telling

__all__ = ["Book", "Telling"]
