"""The page about verdicts says what the rules say, and tells stories that come to what it says."""

from tools.docs import DOCUMENT, verdicts


def test_the_page_is_made_from_the_rules():
    assert DOCUMENT.read_text(encoding="utf-8") == verdicts(), "run: .venv/bin/python tools/docs.py"
