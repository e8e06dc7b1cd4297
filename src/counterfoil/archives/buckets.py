"""Buckets that speak S3: how one is named and asked, and what went wrong in plain words.

pyarrow's client finds credentials as AWS's own tools do: variables, `~/.aws`, the machine's role. The endpoint it
leaves to its caller, so that and the region are taken from the variables that those tools read. Nothing secret may be
in an address, and what a server says of itself is not repeated: it may quote what it was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from counterfoil.archives.clickhouse import NoAddress
from counterfoil.archives.needs import MissingExtra

if TYPE_CHECKING:
    from pyarrow.fs import S3FileSystem

SCHEME = "s3://"
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}", re.ASCII)
_CODE = re.compile(r"AWS Error ([A-Z_0-9]+)")
_STATUS = re.compile(r"HTTP status (\d{3})")
_UNREACHED = "the server can't be reached; look at AWS_REGION, AWS_ENDPOINT_URL and the network"
_REFUSED = (
    "not permitted; the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE or a role) need "
    "s3:ListBucket on the bucket and s3:GetObject on its objects"
)
_FAILING = "the server has too much to do, or fails; run this again later"
_ELSEWHERE = "the bucket is in another region; set AWS_REGION to it"
_WHY: Mapping[str, str] = {
    "NO_SUCH_BUCKET": "there is no such bucket; look at its name, AWS_REGION and AWS_ENDPOINT_URL",
    **dict.fromkeys(("NETWORK_CONNECTION", "REQUEST_TIMEOUT"), _UNREACHED),
    **dict.fromkeys(("SLOW_DOWN", "SERVICE_UNAVAILABLE", "INTERNAL_FAILURE", "500", "503"), _FAILING),
    **dict.fromkeys(
        (
            "ACCESS_DENIED",
            "INVALID_ACCESS_KEY_ID",
            "INVALID_CLIENT_TOKEN_ID",
            "MISSING_AUTHENTICATION_TOKEN",
            "SIGNATURE_DOES_NOT_MATCH",
            "403",
        ),
        _REFUSED,
    ),
    "301": _ELSEWHERE,
}
NO_BUCKET = _WHY["NO_SUCH_BUCKET"]


@dataclass(frozen=True, slots=True)
class Place:
    """A bucket, and in it an object, or all below a prefix, which is one as a folder is: `day` is not `day-2`."""

    bucket: str
    prefix: str = ""

    @property
    def path(self) -> str:
        """As pyarrow's client names it."""
        return f"{self.bucket}/{self.prefix}" if self.prefix else self.bucket

    @property
    def address(self) -> str:
        return SCHEME + self.path


def place_at(address: str) -> Place:
    """``s3://bucket/prefix``, read to the letter: nothing in it is an escape. Raises `NoAddress`, which quotes nothing
    that may be a secret."""
    bucket, _, prefix = address.removeprefix(SCHEME).partition("/")
    if "@" in bucket or ":" in bucket:
        why = "credentials in an address are seen by others; put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        raise NoAddress(why)
    if "?" in address:
        raise NoAddress(
            f"an address on {SCHEME} takes no options; region and endpoint are AWS_REGION and AWS_ENDPOINT_URL"
        )
    if not _BUCKET.fullmatch(bucket):
        raise NoAddress(f"this address on {SCHEME} names no bucket; write s3://bucket/prefix")
    place = Place(bucket, prefix.rstrip("/"))
    if not askable(place.prefix):
        raise NoAddress(
            f"a prefix with `..`, `.` or nothing between two slashes can't be asked for; name {SCHEME}"
            f"{bucket} or a prefix above it"
        )
    return place


def askable(name: str) -> bool:
    """Whether an object of this name can be asked for. HTTP takes `..` and its kin for steps in a path: what is
    answered then is another object, which may lie outside the prefix."""
    return not name or not {"", ".", ".."}.intersection(name.split("/"))


@dataclass(frozen=True, slots=True)
class Service:
    """Where buckets are. Empty: as the client finds out by itself, which ends at AWS."""

    region: str = ""
    endpoint: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Service:
        """As AWS's own tools read the environment."""
        region, endpoint = (
            next((environment[name] for name in among if environment.get(name)), "") for among in (REGIONS, ENDPOINTS)
        )
        return cls(region, endpoint)

    def client(self) -> S3FileSystem:
        """Asks nobody yet. Raises `MissingExtra`, and `NoAddress` for an endpoint that is none."""
        try:
            from pyarrow.fs import S3FileSystem
        except ImportError:
            raise MissingExtra("pyarrow", "archive") from None
        options: dict[str, Any] = {"region": self.region} if self.region else {}
        return S3FileSystem(**options, **self._door())

    def _door(self) -> dict[str, str]:
        if not self.endpoint:
            return {}
        try:
            parts = urlsplit(self.endpoint)
            sound = bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            sound = False
        if not sound or parts.scheme not in ("http", "https") or parts.path.strip("/") or "@" in parts.netloc:
            raise NoAddress("AWS_ENDPOINT_URL can't be read; write https://host or http://host:port, and nothing else")
        return {"scheme": parts.scheme, "endpoint_override": parts.netloc}


@contextmanager
def in_words(address: str) -> Iterator[None]:
    """What goes wrong at a server, as an OSError about this address."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as wrong:
        raise OSError(0, _why(str(wrong)), address) from None


def _why(said: str) -> str:
    found = [match[1] for match in (_CODE.search(said), _STATUS.search(said)) if match]
    if "configured region" in said:
        return _ELSEWHERE
    return next(
        (_WHY[code] for code in found if code in _WHY),
        f"S3 says {' '.join(found) or 'nothing that is known'}; look at the credentials, which may have expired, "
        "AWS_REGION and AWS_ENDPOINT_URL",
    )
