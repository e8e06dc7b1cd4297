"""Turns structures into the text of files: stable, readable, with a line that says where it comes from."""

from __future__ import annotations

import json
from typing import Any

import yaml

ORIGIN = "Generated from dashboards/src by `python -m dashboards.src`. Change it there: a test compares the two."


class _Readable(yaml.SafeDumper):
    """Block style for text of several lines, no aliases, lists indented under their key."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Readable.add_representer(str, _text)


def as_yaml(content: Any, *comments: str) -> str:
    """YAML with comments above it."""
    head = "".join(f"# {line}\n" for line in (ORIGIN, *comments))
    return head + yaml.dump(content, Dumper=_Readable, sort_keys=False, width=10_000, allow_unicode=True)


def as_json(content: Any) -> str:
    """JSON, indented, with a final newline."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
