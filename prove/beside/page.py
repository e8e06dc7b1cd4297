"""The second part of the proof, as Markdown: generated, never written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prove.beside.answers import Answer, Contender
from prove.beside.scores import EVERY, Question, Score, Scores

BEGIN, END = "<!-- beside the others: made by `make prove`, between these two marks -->", "<!-- /beside the others -->"
OURS = "counterfoil"
LEAST = 20
"""So many operations must have met a fault, and so many be true, for a share to be told better or worse."""

INTRO = """## Beside the others

What people use instead, asked about the same operations and held against the same books. Each answers in its own way:
it took effect once, not at all, twice; something is wrong, and somebody is to look; or it can't tell. *Precision* is
how much of what was said is true, *recall* how much of what is true was said. An operation that a fault met counts
under each of its faults. Reads are left out. *Told right* counts “something is wrong” as right wherever an operation
did not take effect exactly once."""

RECORDED = """### On the same recorded runs

All of them are given the same exported telemetry, and are told what Counterfoil is told: which operation a span is
about, and what webhooks brought. {size} {held}"""

IN_PATH = """### In the path

A guard or a ledger can be judged only on runs in which it stands in the path: the same seeded agents carry out the
same plans with it, a smaller number, Pydantic AI only, with whole telemetry; one in fifty meets SIGKILL. Each was run
alone; Counterfoil's audit reads the telemetry of that run. {size}"""


def page(recorded: Scores, in_path: Sequence[Scores], pictures: Sequence[tuple[str, str]]) -> str:
    """All of it. ``pictures``: what is to be seen, and where it is, seen from the page."""
    every = [*recorded.contenders, *(one for scores in in_path for one in scores.contenders)]
    distinct = list({one.name: one for one in every}.values())
    lines = [BEGIN, "", *INTRO.splitlines(), "", *table(("", "version", "set up"), _set_up(distinct)), ""]
    lines += RECORDED.format(size=_size(recorded), held=_held(recorded)).splitlines()
    lines += [
        "",
        *table(_HEAD, _totals(recorded)),
        "",
        "Where another answers better than Counterfoil:",
        "",
        *_better(recorded),
        "",
    ]
    for words, path in pictures:
        lines += [f"![{words}]({path})", ""]
    for question in Question:
        asked = recorded.asked(question)
        lines += [f"#### By fault: it {question.words}", "", _READ, ""]
        lines += [*table(("fault", "true of", *(one.name for one in asked)), _by_fault(recorded, question, asked)), ""]
    if in_path:
        lines += [*IN_PATH.format(size=_size(in_path[0])).splitlines(), ""]
        lines += [*table(("in the path", "none", "once", "twice"), _held_with(in_path)), ""]
        lines += [*_prevented(in_path), ""]
        names = [scores.contenders[0].name for scores in in_path]
        lines += [_PREVENTED, "", *table(("fault", *(f"twice, {name}" for name in names)), _by_habit(in_path)), ""]
    for scores in in_path:
        lines += [
            *table(_HEAD, _totals(scores)),
            "",
            "Where another answers better than Counterfoil:",
            "",
            *_better(scores),
            "",
        ]
    if in_path:
        names = [scores.contenders[0].name for scores in in_path]
        lines += [f"#### By fault, in the path: it {Question.WRONG.words}", "", _READ, ""]
        lines += [*table(("fault", "operations", *names), _by_fault_in_path(in_path)), ""]
    lines += ["### What each is better at, and not made for", "", *_strengths(distinct), "", END]
    return "\n".join(lines)


_HEAD = (
    "asked of it",
    "twice: precision",
    "recall",
    "none: precision",
    "recall",
    "not once: precision",
    "recall",
    "told right",
    "told wrong",
    "can't tell",
)
_PREVENTED = (
    "What took effect twice, by the habit of the agent and by who took up a killed run. A ledger of steps only "
    "records, so its run is what happens without a guard."
)
_READ = "In per cent, precision / recall; `–` where nothing was said, or there was nothing to say."


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table whose first column is words, the others numbers, or words where the head says so."""
    rule = ("---", *("---" if cell in ("version", "set up") else "--:" for cell in head[1:]))
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


def share(part: float | None) -> str:
    """Per cent, never rounded up to all or down to none."""
    if part is None:
        return "–"
    rounded = f"{100 * part:.0f}"
    return {"100": "100" if part == 1 else "99.9", "0": "0" if part == 0 else "0.1"}.get(rounded, rounded)


def _set_up(contenders: Sequence[Contender]) -> Iterator[Sequence[str]]:
    for one in contenders:
        yield one.name, one.version, one.set_up


def _size(scores: Scores) -> str:
    number = scores.times(scores.contenders[0].name, EVERY, lambda *_: True)
    return f"{number:,} operations, from {len(scores.seeds)} {'seed' if len(scores.seeds) == 1 else 'seeds'}."


def _held(scores: Scores) -> str:
    none, once, twice = (_times_held(scores, EVERY, number) for number in range(3))
    return f"Of {none:,} nothing is held, {once:,} took effect once, {twice:,} more than once."


def _totals(scores: Scores) -> Iterator[Sequence[str]]:
    for one in scores.contenders:
        found = [scores.score(one.name, EVERY, question) for question in Question]
        cells = [share(part) for score in found for part in _parts(score)]
        right = scores.times(one.name, EVERY, _right)
        doubt = scores.times(one.name, EVERY, lambda answer, _: answer is Answer.UNKNOWN)
        wrong = scores.times(one.name, EVERY, lambda *_: True) - right - doubt
        yield one.name, *cells, f"{right:,}", f"{wrong:,}", f"{doubt:,}"


def _right(answer: Answer, held: int) -> bool:
    return (answer, held) in ((Answer.NOT, 0), (Answer.ONCE, 1), (Answer.TWICE, 2)) or (
        answer is Answer.AMISS and held != 1
    )


def _parts(score: Score) -> tuple[float | None, float | None]:
    """A recall of nothing at all isn't told where nothing was ever said."""
    return score.precision, score.recall if score.said else None


def _by_fault(scores: Scores, question: Question, asked: Sequence[Contender]) -> Iterator[Sequence[str]]:
    for fault in (EVERY, *scores.faults):
        found = [scores.score(one.name, fault, question) for one in asked]
        number = scores.times(scores.contenders[0].name, fault, lambda *_: True)
        true = found[0].true if found else 0
        yield fault, f"{true:,} of {number:,}", *(f"{share(one.precision)} / {share(one.recall)}" for one in found)


def _by_fault_in_path(in_path: Sequence[Scores]) -> Iterator[Sequence[str]]:
    """Each in the run in which it stood; the same plans, so that as many operations met a fault."""
    for fault in (EVERY, *sorted({fault for scores in in_path for fault in scores.faults})):
        found = [scores.score(scores.contenders[0].name, fault, Question.WRONG) for scores in in_path]
        number = max(scores.times(scores.contenders[0].name, fault, lambda *_: True) for scores in in_path)
        yield fault, f"{number:,}", *(f"{share(one.precision)} / {share(one.recall)}" for one in found)


def _better(scores: Scores) -> Iterator[str]:
    """Where another's share is larger than ours, told by the counts alone."""
    for one in scores.contenders:
        if one.name == OURS:
            continue
        found = [words for question in Question for words in _wins(scores, one.name, question)]
        yield f"- {one.name}: " + ("; ".join(found) if found else "in nothing that was counted here") + "."


def _wins(scores: Scores, name: str, question: Question) -> Iterator[str]:
    for kind in ("precision", "recall"):
        ahead = [fault for fault in (EVERY, *scores.faults) if _ahead(scores, name, question, fault, kind)]
        if EVERY in ahead:
            under = f", and under {len(ahead) - 1} kinds of fault" if ahead[1:] else ""
            yield f"better {kind} than {OURS} at “it {question.words}” over all{under}"
        elif ahead:
            yield f"better {kind} at “it {question.words}” under {', '.join(ahead)}"


def _ahead(scores: Scores, name: str, question: Question, fault: str, kind: str) -> bool:
    theirs, ours = (scores.score(who, fault, question) for who in (name, OURS))
    if min(theirs.true, theirs.said) < LEAST:
        return False
    one, other = (getattr(score, kind) for score in (theirs, ours))
    return one is not None and (other is None or one > other)


def _held_with(in_path: Sequence[Scores]) -> Iterator[Sequence[str]]:
    for scores in in_path:
        name = scores.contenders[0].name
        yield name, *(f"{_times_held(scores, EVERY, number):,}" for number in range(3))


def _prevented(in_path: Sequence[Scores]) -> Iterator[str]:
    """Against the first, which only records. Counterfoil's audit comes afterwards, and keeps nothing from happening."""
    without = _times_held(in_path[0], EVERY, 2)
    for scores in in_path[1:]:
        name, twice = scores.contenders[0].name, _times_held(scores, EVERY, 2)
        said = f"With {name} in the path {twice:,} operations took effect twice, without it {without:,}"
        yield f"{said}; an audit prevents none."


def _by_habit(in_path: Sequence[Scores]) -> Iterator[Sequence[str]]:
    every = sorted({fault for scores in in_path for fault in scores.faults})
    for fault in every:
        twice = [_times_held(scores, fault, 2) for scores in in_path]
        if fault.startswith(("habit", "resumed")) and any(twice):
            yield fault, *(f"{number:,}" for number in twice)


def _times_held(scores: Scores, fault: str, number: int) -> int:
    return scores.times(scores.contenders[0].name, fault, lambda _, held: held == number)


def _strengths(contenders: Sequence[Contender]) -> Iterator[str]:
    for one in contenders:
        if one.strength:
            yield f"- **{one.name}**. {one.strength} {one.limit}"
