# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules by which numbers confirm a claim, refute it, or leave it open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from typing import Any, Literal

Verdict = Literal["holds", "too_close_to_tell", "fails"]
VERDICTS: Mapping[Verdict, str] = {
    "holds": "so it is",
    "too_close_to_tell": "too close to tell",
    "fails": "NOT so here",
}
"""The words for verdicts that people read."""
NOISE_SD = 2.0
"""Two numbers that are closer than so many standard deviations of their difference do not differ."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A claim, the numbers that belong to it, and the verdict."""

    claim: str
    measured: str
    verdict: Verdict

    @property
    def text(self) -> str:
        """The claim with its numbers."""
        return f"{self.claim}: {self.measured}"


def verdict(holds: bool) -> Verdict:
    """The verdict about numbers without chance."""
    return "holds" if holds else "fails"


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict about a claim with several parts."""
    for each in ("fails", "too_close_to_tell"):
        if each in verdicts:
            return each
    return "holds"


def above(difference: float, error: float | None) -> Verdict:
    """Whether a difference is above 0, given its standard error; without one that stays open."""
    if error is None or abs(difference) <= NOISE_SD * error:
        return "too_close_to_tell"
    return verdict(difference > 0)


def falling_counts(counts: Sequence[int]) -> Verdict:
    """Whether each count is below its predecessor, with the error of counts of chance events (Poisson)."""
    pairs = pairwise(counts)
    return worst([above(before - after, sqrt(max(1, before + after))) for before, after in pairs])


def falling(values: Sequence[tuple[float, float | None]]) -> Verdict:
    """The same of values with their standard errors."""
    parts = []
    for (before, error_before), (after, error_after) in pairwise(values):
        known = error_before is not None and error_after is not None
        parts.append(above(before - after, hypot(error_before or 0, error_after or 0) if known else None))
    return worst(parts)


def each_of(schemes: Sequence[Mapping[str, Any]], key: str, form: str = "") -> str:
    """The schemes' numbers, for people."""
    return ", ".join(f"{scheme['name']} {_text(scheme[key], form)}" for scheme in schemes)


def _text(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)
