"""The pages, looked at in a real browser: nothing lies on anything else, nothing sticks out, all can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from counterfoil.facts import Claim, Effect, Intent, Reported, Unreadable
from tests.drawing.pages import AT_ONCE, CHARGED_TWICE, START, STORM, audit_of, judged, page_of, require_browser
from tools.browser import measured, photograph

pytestmark = pytest.mark.real

EVIL = "<script>document.title='owned'</script>\u202e" + "x" * 10_000
TIMELESS = (
    Claim(operation_id="op-1", observed_at=0, reported=Reported.SUCCESS, by="model"),
    Unreadable(operation_id="op-1", observed_at=0, field="http_status"),
)
HOSTILE = (
    Intent(operation_id="op-1", observed_at=START * 10**9, tool=EVIL),
    Effect(operation_id="op-1", observed_at=START * 10**9 + 9, source=EVIL, effect_ref=EVIL, authoritative=True),
)
PAGES = {
    "charged_twice": page_of(CHARGED_TWICE),
    "at_once": page_of(AT_ONCE, *TIMELESS),
    "storm": page_of(STORM),
    "hostile": page_of("attempt success at=1", *HOSTILE),
    "audit": audit_of([*judged(CHARGED_TWICE), *judged("intent pay op=op-2; receipt pay_9 op=op-2")]),
}

FAULTS = """
(() => {
  const faults = [];
  const box = element => element.getBoundingClientRect();
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const all = (where, what) => [...where.querySelectorAll(what)];
  const seen = element => box(element).width > 0;
  for (const drawing of all(page.document, "svg.timeline").filter(seen)) {
    const marks = all(drawing, ".mark"), labels = all(drawing, ".label, .tick, .lane, .empty");
    const things = [...marks, ...labels];
    things.forEach((one, n) => things.slice(n + 1).forEach(other => {
      if (meet(box(one), box(other))) faults.push(`${one.textContent} lies on ${other.textContent}`);
    }));
    for (const thing of things)
      if (box(thing).left < box(drawing).left - 1 || box(thing).right > box(drawing).right + 1)
        faults.push(`${thing.textContent} sticks out of its drawing`);
  }
  if (page.document.documentElement.scrollWidth > page.innerWidth) faults.push("the page is wider than its window");
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => parts(colour).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = page.getComputedStyle(one).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  for (const element of all(page.document.body, "p, h1, h2, h3, dt, dd, span, b, em, bdi, time, a, th, td, code")) {
    const own = page.getComputedStyle(element).color;
    const [dark, bright] = [light(own), light(behind(element))].sort((a, b) => a - b);
    if ((bright + 0.05) / (dark + 0.05) < 4.5) faults.push(`hard to read: ${element.textContent.slice(0, 40)}`);
  }
  return faults;
})()
"""


@pytest.fixture(autouse=True)
def browser() -> None:
    require_browser()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=["wide", "phone_dark"])
def test_nothing_lies_on_anything_or_sticks_out_or_is_hard_to_read(name: str, width: int, dark: bool) -> None:
    assert measured(PAGES[name], FAULTS, width=width, dark=dark) == []


def test_on_paper_it_is_the_wide_drawing_and_nothing_sticks_out() -> None:
    """A4 with its margins, by the rules for print."""
    printed = PAGES["at_once"].replace("@media print", "@media all").replace("@media screen and", "@media speech and")
    shown = '[...page.document.querySelectorAll("svg.timeline")].map(one => one.getBoundingClientRect().width > 0)'
    assert measured(printed, FAULTS, width=718) == []
    assert measured(printed, shown, width=718) == [True, False]


def test_a_page_on_which_marks_lie_on_each_other_is_noticed() -> None:
    squeezed = PAGES["charged_twice"].replace("transform=", "data-transform=")
    assert measured(squeezed, FAULTS, width=1280) != []


def test_a_strangers_words_do_nothing() -> None:
    title, scripts, wanted = measured(
        PAGES["hostile"],
        "[page.document.title, page.document.scripts.length, page.performance.getEntriesByType('resource').length]",
        width=1280,
    )
    assert (title, scripts, wanted) == ("verified_applied: op-1 · Counterfoil", 0, 0)


def test_the_drawing_has_a_name_and_a_description_for_who_does_not_see_it() -> None:
    said: list[Any] = measured(
        PAGES["charged_twice"],
        """[...page.document.querySelectorAll("svg[role=img]")].map(drawing => drawing.getAttribute("aria-labelledby")
            .split(" ").map(id => page.document.getElementById(id).textContent))""",
        width=1280,
    )
    words = ["Timeline of op-1", "10 moments, numbered as in the list. The verdict rests on 6, 8."]
    assert said == [words, words]


def test_one_drawing_is_seen_at_a_time_and_it_fits_the_page() -> None:
    shown = '[...page.document.querySelectorAll("svg.timeline")].map(one => one.getBoundingClientRect().width > 0)'
    assert measured(PAGES["charged_twice"], shown, width=1280) == [True, False]
    assert measured(PAGES["charged_twice"], shown, width=390) == [False, True]


def test_a_picture_can_be_taken(tmp_path: Path) -> None:
    picture = tmp_path / "seen.png"
    photograph(PAGES["charged_twice"], picture, width=390, height=800)
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
