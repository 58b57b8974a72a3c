# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A line of the result of ``quench doctor``."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The state of a thing that was looked at."""

    OK = "ok"
    MISSING = "missing"
    UNKNOWN = "unknown"
    """It cannot be seen from here, for instance the options of a kernel that does not show them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A thing that a part of Quench needs."""

    part: str
    """The part that needs it; a key of ``checks.PARTS``."""
    name: str
    state: State
    found: str
    """The version or place, or what was seen instead."""
    remedy: str = ""
    """The mend, unless it is there."""
    optional: bool = False
    """The part works without it, with less."""

    @property
    def fault(self) -> bool:
        """Whether a part does not work for want of it."""
        return self.state is State.MISSING and not self.optional


def finding(part: str, name: str, found: str | None, remedy: str, *, optional: bool = False) -> Finding:
    """A thing that is there as ``found``, or missing (None)."""
    if found is None:
        return Finding(part, name, State.MISSING, "", remedy, optional)
    return Finding(part, name, State.OK, found, "", optional)
