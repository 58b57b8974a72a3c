# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The model's answer to one message: accepted, or refused with one of some codes."""

from __future__ import annotations

from collections.abc import Iterable

from finsy import GRPCStatusCode as Code


class Verdict:
    """All rules that a message breaks. The specification does not say which of several is reported."""

    __slots__ = ("broken", "tolerated")

    def __init__(self) -> None:
        self.broken: dict[Code, str] = {}
        self.tolerated: dict[Code, str] = {}
        """Refusals that are right as well as acceptance, with the section that leaves it open."""

    def refuse(self, code: Code, rule: str) -> None:
        """The message breaks a rule."""
        self.broken.setdefault(code, rule)

    def may_refuse(self, code: Code, section: str) -> None:
        """The specification leaves open whether this is an error."""
        self.tolerated.setdefault(code, section)

    def invalid(self, rule: str) -> None:
        """The message contradicts P4Info or itself."""
        self.refuse(Code.INVALID_ARGUMENT, rule)

    @property
    def accepts(self) -> bool:
        """Whether no rule is broken."""
        return not self.broken

    def disagreement(self, code: int) -> str | None:
        """The fault of the switch's answer, or None."""
        if code in self.tolerated or (code in self.broken if self.broken else code == Code.OK):
            return None
        name = Code(code).name if code in set(Code) else str(code)
        if not self.broken:
            return f"the switch refuses with {name} what the model accepts"
        rules = "; ".join(f"{expected.name}: {rule}" for expected, rule in self.broken.items())
        return f"the switch answers {name}, the model refuses ({rules})"


def refusal(code: Code, rule: str) -> Verdict:
    """A verdict with one broken rule."""
    verdict = Verdict()
    verdict.refuse(code, rule)
    return verdict


def union(verdicts: Iterable[Verdict]) -> Verdict:
    """Every refusal that any of the verdicts has."""
    merged = Verdict()
    for verdict in verdicts:
        for code, rule in verdict.broken.items():
            merged.refuse(code, rule)
        for code, rule in verdict.tolerated.items():
            merged.may_refuse(code, rule)
    return merged
