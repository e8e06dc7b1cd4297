"""Asking a target what it holds: on a bounded schedule, within limits, and contained. What it can't say stays doubt."""

from counterfoil.probing.question import Answer, CannotTell, Probe, Question

__all__ = ["Answer", "CannotTell", "Probe", "Question"]
