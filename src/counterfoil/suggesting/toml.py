"""What was seen, written as a settings file. Every guess is a comment: the file changes nothing until a person says so.

Names of tools, fields and hosts come from strangers. They are written so that none can end a comment or a text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from counterfoil.suggesting.seen import Tools, ToolSeen

SHOWN = 3
"""So many hosts, and so many fields of a kind, are named for a tool."""

HEAD = """\
# Tools, the most valuable to declare first. Name this file in COUNTERFOIL_CONFIG.
# A line with "#." tells what was seen. A setting behind "# " is a guess from names alone: take the mark away where it
# is true.
"""
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_KEY = re.compile(r"idempoten|dedup|request_?id$|client_?token$|client_?reference", re.IGNORECASE)
_ID = re.compile(r"(^|_|\.)(id|ref|reference|number|uuid)$|[a-z](Id|Ref)$")
_SENT_AT = re.compile(r"(^|_|\.)(timestamp|nonce|trace_id|(sent|created|requested)_at)$")
_KEY_HEADER = re.compile(r"idempoten|request-id$|dedup")
_KNOWN_HEADERS = ("idempotency-key", "x-idempotency-key")


def settings_file(tools: Tools) -> str:
    """The file. It can be read as settings, as it is and with any of its guesses taken for true."""
    tables = ((f"[tools.{_key(seen.name)}]", *_comments(seen), *_guesses(seen), "") for seen in _tools(tools))
    parts = [HEAD, *map("\n".join, tables)]
    if tools.left_out:
        parts.append(f"# More tools were seen than fit in here; {tools.left_out} sightings are left out.\n")
    return "\n".join(parts)


def _tools(tools: Tools) -> list[ToolSeen]:
    return [seen for seen in tools.most_valuable_first() if 0 < len(seen.name) <= 1_024]


def _comments(seen: ToolSeen) -> Iterator[str]:
    coverage = f"{seen.known} of {seen.operations} outcomes known"
    yield f"#. {_count(seen.calls, 'call')}, {coverage}" if seen.operations else f"#. {_count(seen.calls, 'call')}"
    for (method, host), times in seen.requests.most_common(SHOWN):
        yield f"#. {_count(times, 'request')}: {_shown(' '.join(filter(None, (method, host))))}"
    if len(seen.requests) > SHOWN:
        yield f"#. and {len(seen.requests) - SHOWN} more kinds of requests"
    if (sent := seen.requests.total()) and not seen.only_reads:
        yield f"#. {seen.with_key} of {sent} requests showed an idempotency key"
    if seen.with_arguments < seen.calls and seen.arguments:
        yield f"#. {seen.calls - seen.with_arguments} of {seen.calls} calls showed no arguments"


def _guesses(seen: ToolSeen) -> Iterator[str]:
    if seen.only_reads:
        yield "# side_effect = false"
        return
    if seen.requests:
        yield "# side_effect = true"
    for path in _likely(seen.result, _ID):
        yield f'# effect_ref = "result:{path}"  # in {seen.result[path]} of {_count(seen.results, "result")}'
        break
    keys = _likely(seen.arguments, _KEY)
    header = next((name for name in sorted(seen.headers) if _KEY_HEADER.search(name)), None)
    if header is not None and header not in _KNOWN_HEADERS and _BARE.fullmatch(header):
        yield f'# idempotency_key = "header:{header}"'
    elif keys and not seen.with_key:
        yield f'# idempotency_key = "{keys[0]}"'
    ids = [path for path in _likely(seen.arguments, _ID) if path not in keys[:1]]
    if ids and not seen.declared:
        yield f'# operation_id = "{ids[0]}"  # if it is another one for every action that is meant once'
    if volatile := _likely(seen.arguments, _SENT_AT):
        yield f"# volatile = {json.dumps(volatile)}"


def _likely(fields: Counter[str], like: re.Pattern[str]) -> list[str]:
    """Fields by how often they are there, the shorter path first."""
    found = [path for path in fields if like.search(path)]
    return sorted(found, key=lambda path: (-fields[path], path.count("."), path))[:SHOWN]


def _key(name: str) -> str:
    if _BARE.fullmatch(name):
        return name
    text = name.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shown(text: str) -> str:
    return "".join(mark if mark.isprintable() else "\ufffd" for mark in text[:200])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
