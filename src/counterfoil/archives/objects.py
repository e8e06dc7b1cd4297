"""Objects of a bucket, brought into a folder one after the other, to be judged there as files are.

Memory holds one piece of one object, and the names of all below the prefix; the disk holds all of them at once, so
``TMPDIR`` needs room for their size. Whoever may write to a bucket chooses the names in it. They are told to people and
sent back to the server, and never become a path: a file is called by its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.archives.buckets import NO_BUCKET, SCHEME, Place, Service, askable, in_words
from counterfoil.archives.pieces import said_at
from counterfoil.auditing.sources import SUFFIXES, Source

if TYPE_CHECKING:
    from pyarrow.fs import S3FileSystem

PARQUET = ".parquet"

AT_ONCE = 8 * 1024 * 1024
"""So many bytes are held of an object; each such piece is a request."""


@dataclass(frozen=True, slots=True)
class Object:
    """``path``: bucket and name, as the client has them."""

    path: str
    size: int

    @property
    def address(self) -> str:
        return SCHEME + self.path

    @property
    def suffix(self) -> str:
        """What kind of file it is by its name: one of those that are read in a folder, or nothing."""
        return next((one for one in (*SUFFIXES, PARQUET) if self.path.lower().endswith(one)), "")

    @property
    def askable(self) -> bool:
        return askable(self.path)

    @property
    def place_in_folder(self) -> list[tuple[bool, str]]:
        """Where a walk through folders would meet it: lines before Parquet, files before what lies deeper."""
        *folders, name = self.path.split("/")
        return [(self.suffix == PARQUET, ""), *((True, folder) for folder in folders), (False, name)]


@dataclass(frozen=True, slots=True)
class Fetched(Source):
    """An object that lies in a file now; ``name`` is its address."""

    path: Path = Path()

    def chunks(self, progress: Callable[[int], None] = lambda read: None) -> Iterator[bytes]:
        yield from Source(str(self.path), self.size).chunks(progress)


@dataclass(frozen=True, slots=True)
class InPlace(Source):
    """An archive that stays in its bucket, to be read there (`archives.pieces`); ``name`` is its address."""


@dataclass(frozen=True, slots=True)
class Unread(Source):
    """An object that could not be had: a stream that broke at once."""

    why: str = ""

    def chunks(self, progress: Callable[[int], None] = lambda read: None) -> Iterator[bytes]:
        yield self.name.encode()  # what breaks after the same bytes is told once, and this one is not another
        raise OSError(0, self.why)


@dataclass(frozen=True, slots=True)
class Listing:
    """What there is to bring."""

    client: S3FileSystem
    objects: Sequence[Object]

    @property
    def size(self) -> int:
        return sum(each.size for each in self.objects)


def listed(place: Place, service: Service) -> Listing:
    """The object of this name, whatever it is called, and what is read in a folder of this name, in a folder's
    order; a bucket may hold both. Raises OSError in words, `MissingExtra` and `NoAddress`."""
    client = service.client()
    from pyarrow.fs import FileSelector, FileType

    with in_words(place.address):
        bucket, itself = (client.get_file_info(path) for path in (place.bucket, place.path))
        below = client.get_file_info(FileSelector(place.path, recursive=True, allow_not_found=True))
    if bucket.type == FileType.NotFound:
        raise FileNotFoundError(ENOENT, NO_BUCKET, place.address)
    if itself.type == FileType.NotFound:
        raise FileNotFoundError(ENOENT, "there is no object of this name, and none below it", place.address)
    named = [Object(itself.path, itself.size)] if itself.type == FileType.File else []
    objects = (Object(info.path, info.size) for info in below if info.type == FileType.File)
    return Listing(client, named + sorted((one for one in objects if one.suffix), key=lambda one: one.place_in_folder))


def staying(listing: Listing, service: Service) -> tuple[list[Source], Listing]:
    """The archives among them, which can be read where they lie, and what is left to bring. Raises OSError in words."""
    own: list[Source] = []
    left: list[Object] = []
    for each in listing.objects:
        if each.suffix == PARQUET and each.askable and said_at(each.address, service) is not None:
            own.append(InPlace(each.address, each.size))
        else:
            left.append(each)
    return own, Listing(listing.client, left)


def fetched(listing: Listing, folder: Path, progress: Callable[[int], None] = lambda read: None) -> Iterator[Source]:
    """Bring them into this folder, which is there and empty. An object that is gone meanwhile, or whose name can't be
    asked for, is one that could not be read; anything else that goes wrong ends it. One that is overwritten while it is
    read may come as a mixture: a store promises no more. Raises OSError in words."""
    for number, each in enumerate(listing.objects):
        if not each.askable:
            yield Unread(each.address, 0, "`..`, `.` or an empty part in a name can't be asked for")
            continue
        path = folder / f"{number}{each.suffix}"
        try:
            _save(path, _chunks(listing.client, each, progress))
        except FileNotFoundError:
            yield Unread(each.address, 0, "the object is gone")
        else:
            yield Fetched(each.address, path.stat().st_size, path)


def _chunks(client: S3FileSystem, wanted: Object, progress: Callable[[int], None]) -> Iterator[bytes]:
    """To the letter: whether it is packed is seen by whoever reads it."""
    with in_words(wanted.address):
        stream = client.open_input_stream(wanted.path, compression=None)
    with stream:
        while True:
            with in_words(wanted.address):
                chunk: bytes = stream.read(AT_ONCE)
            if not chunk:
                return
            progress(len(chunk))
            yield chunk


def _save(path: Path, chunks: Iterator[bytes]) -> None:
    with open(path, "xb") as file:
        for chunk in chunks:
            try:
                file.write(chunk)
            except OSError as wrong:
                why = f"{wrong.strerror}; name a folder with room for all objects in TMPDIR"
                raise OSError(wrong.errno, why, str(path.parent)) from None
