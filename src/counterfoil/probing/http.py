"""The ready-made probe over HTTP: one GET, whose JSON answer says what there is."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import Message
from string import Formatter
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import orjson

from counterfoil.config import ProbeConfig
from counterfoil.probing.question import Answer, CannotTell, Question
from counterfoil.probing.reading import Unknown, answer_from, asked_with

MAX_ANSWER = 1_048_576
"""The largest answer that is read, in bytes; a larger one says nothing."""


class HttpProbe:
    """Asks one URL. Values are quoted whole, so that none of them can name another path, host or parameter.

    A redirect is followed on the same scheme, host and port only: the headers hold secrets. A status says nothing
    unless it is 200, or among those that the operator says mean absence.
    """

    def __init__(self, config: ProbeConfig, headers: Mapping[str, str]) -> None:
        self._config = config
        self._url = str(config.url)
        self._places = sorted({place for _, place, _, _ in Formatter().parse(self._url) if place})
        self._headers = {"Accept": "application/json", "User-Agent": "counterfoil", **headers}
        self._opener = build_opener(_SameHost())

    def __call__(self, question: Question) -> Answer | CannotTell:
        try:
            values = asked_with(question, self._places)
        except Unknown as missing:
            return CannotTell(str(missing))
        if any(value.strip(".") == "" for value in values.values()):
            return CannotTell("what would be asked with is a step in a path, and no name")
        url = self._url.format(**{place: quote(value, safe="") for place, value in values.items()})
        try:
            with self._opener.open(Request(url, headers=self._headers), timeout=self._config.pace.timeout_s) as answer:
                if answer.status != 200:
                    return CannotTell(f"the target answered HTTP {answer.status}")
                body = answer.read(MAX_ANSWER + 1)
        except HTTPError as answer:
            with answer:
                return self._refused(answer.code)
        except (URLError, OSError) as error:
            reason = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
            return CannotTell(f"the target could not be reached ({type(reason).__name__})")
        if len(body) > MAX_ANSWER:
            return CannotTell("the answer is larger than 1 MiB")
        try:
            return answer_from(self._config, orjson.loads(body))
        except orjson.JSONDecodeError:
            return CannotTell("the answer is no JSON")

    def _refused(self, status: int) -> Answer | CannotTell:
        if status in self._config.absent:
            return Answer(authoritative=self._config.authoritative)
        return CannotTell(f"the target answered HTTP {status}")


class _SameHost(HTTPRedirectHandler):
    def redirect_request(  # noqa: PLR0917  # as its base has it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        here, there = urlsplit(req.full_url), urlsplit(newurl)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            return None  # the redirect itself is then the answer
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
