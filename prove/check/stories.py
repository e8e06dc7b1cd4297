"""A miss, told in sentences: what was planned, what happened, what arrived, and what was said of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields

from prove.check.checking import Checked
from prove.plan import Plan


def story(one: Checked) -> str:
    """One verdict and the truth beside it."""
    truth, evidence = one.truth, one.evidence
    return "\n".join(
        (
            f"{one.marked.mark}: {one.marked.why}.",
            f"  Planned: {planned(one.plan)}.",
            f"  On the wire: {_listed(f'{sent.fault} under {sent.key}' for sent in truth.sent)}.",
            f"  The provider holds {_listed(truth.held)}, and promised {_listed(truth.promised)}.",
            f"  What arrived shows {_listed(sorted(evidence.made))}; promised {_listed(sorted(evidence.promised))}; "
            f"gone {_listed(evidence.gone)}; counted {_listed(str(count) for count, _ in evidence.counts)}.",
            f"  Said by the {one.said.by}: {one.said.verdict}. {one.said.sentence}",
        )
    )


def planned(plan: Plan) -> str:
    """A plan in few words: what is out of the ordinary in it, and what makes it again."""
    plain = Plan(seed=0, number=0)
    names = [field.name for field in fields(Plan) if field.name not in ("seed", "number", "amount")]
    odd = [f"{name}={getattr(plan, name)}" for name in names if getattr(plan, name) != getattr(plain, name)]
    return f"seed {plan.seed}, number {plan.number}: {', '.join(odd) or 'nothing out of the ordinary'}"


def kinds(checked: Iterable[Checked]) -> list[list[Checked]]:
    """Misses of one kind together, the most frequent kind first."""
    groups: dict[tuple[str, str, str], list[Checked]] = {}
    for one in checked:
        groups.setdefault((one.said.by, one.marked.mark, one.said.verdict), []).append(one)
    return sorted(groups.values(), key=len, reverse=True)


def _listed(words: Iterable[str]) -> str:
    counted = Counter(words)
    return ", ".join(word if times == 1 else f"{word} ({times} times)" for word, times in counted.items()) or "nothing"


def told(misses: Sequence[Checked]) -> str:
    """How often one kind of miss occurred, and its first story."""
    return f"{len(misses)} times.\n{story(misses[0])}"
