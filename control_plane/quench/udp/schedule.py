# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The times at which packets are due: at a constant rate, or in talk spurts."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OnOff:
    """Exponentially distributed times of talk and silence, as of a telephone. Raises ValueError."""

    on_mean_s: float
    off_mean_s: float
    seed: int = 1

    def __post_init__(self) -> None:
        if self.on_mean_s <= 0 or self.off_mean_s <= 0:
            raise ValueError(f"on {self.on_mean_s:g} s and off {self.off_mean_s:g} s are not both above 0")


class Schedule:
    """The times at which a flow's packets are due, in the caller's time (seconds).

    A packet that was late does not delay those behind it, up to ``MAX_LAG_S``: a rate is kept on a busy machine,
    and a machine that slept does not send all at once what it missed.
    """

    MAX_LAG_S = 0.02

    def __init__(self, start_s: float, on_off: OnOff | None = None) -> None:
        self._on_off = on_off
        self._random = random.Random(on_off.seed if on_off else None)
        self._last_s: float | None = None
        self._start_s = start_s
        self._on_until_s = float("inf")
        if on_off is not None:
            self._on_until_s = start_s + self._random.expovariate(1 / on_off.on_mean_s)

    def due_s(self, gap_s: float) -> float:
        """The time at which the next packet is due, if packets are ``gap_s`` apart now."""
        due_s = self._start_s if self._last_s is None else self._last_s + gap_s
        while self._on_off is not None and due_s >= self._on_until_s:
            self._start_s = self._on_until_s + self._random.expovariate(1 / self._on_off.off_mean_s)
            self._on_until_s = self._start_s + self._random.expovariate(1 / self._on_off.on_mean_s)
            self._last_s = None
            due_s = self._start_s
        return due_s

    def sent(self, now_s: float, due_s: float) -> None:
        """The packet that was due at ``due_s`` is sent now."""
        self._last_s = max(due_s, now_s - self.MAX_LAG_S)
