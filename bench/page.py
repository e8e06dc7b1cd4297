"""The page of figures: what is between its marks is made by benches, a section each; all else is written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

BEGIN, END = "<!-- figures: made by `python -m bench --write`, between these two marks -->", "<!-- /figures -->"
_SECTION = re.compile(r"<!-- (\w+) -->\n(.*?)<!-- /\1 -->", re.DOTALL)


def sections(page: str) -> dict[str, str]:
    """What each bench has put there."""
    return dict(_SECTION.findall(page.partition(BEGIN)[2].partition(END)[0]))


def placed(page: str, new: Mapping[str, str], order: Iterable[str]) -> str:
    """The page with new sections in place of the old ones of these benches. Raises ValueError where it has no marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no place for figures; put these two lines there: {BEGIN} and {END}")
    known = sections(page) | dict(new)
    parts = [f"<!-- {name} -->\n{known[name]}<!-- /{name} -->\n" for name in order if name in known]
    return "\n".join((f"{before}{BEGIN}", "", *parts, f"{END}{after}"))
