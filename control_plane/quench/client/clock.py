# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The age of a packet-in, by the switch's time stamps.

The clocks of switch and controller have only their pace in common. As in the estimation of one-way delays, the smallest
difference between arrival and time stamp belongs to a packet that waited nowhere. A larger difference means that the
packet waited for so much longer: in the switch, on the way, or for a controller that stood still.
"""

from typing import Final

CLOCK_BITS = 48
"""Width of the program's ``time_us_t``, which wraps after nine years."""
DRIFT: Final = 500e-6
"""Seconds by which the clocks may run apart in a second: as much as an NTP daemon may slew."""
DISTRUST_S: Final = 30.0
"""Time after which the clock is taken for wrong, if every packet in it was too old."""
_MODULUS = 1 << CLOCK_BITS


class SwitchClock:
    """The clock of one switch, as one connection sees it.

    ``limit_s`` is the age in seconds beyond which the caller does not use a packet. A time stamp that is behind its
    predecessor by more than half of it means that the switch's clock was set: the estimate starts anew. It also starts
    anew when all packets of DISTRUST_S were too old: then the clock was slowed or set back little by little. An idle or
    a frozen controller receives nothing in that time, so old packets in its buffers never look new.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._last_us: int | None = None
        self._elapsed_us = 0
        """Time since the estimate started, by the switch's clock."""
        self._floor_s = 0.0
        """The smallest difference."""
        self._floor_us = 0
        """Switch time at which it was seen."""
        self._old_since_s: float | None = None
        self._seen_s = 0.0
        self.restarts = 0
        """Times that the estimate started anew."""

    def age_s(self, time_us: int, now_s: float) -> float:
        """The age in seconds, 0 or more, of a packet with this time stamp, at ``now_s``."""
        if self._last_us is None:
            return self._start(time_us, now_s)
        step_us = (time_us - self._last_us + _MODULUS // 2) % _MODULUS - _MODULUS // 2
        if step_us < -self._limit_s / 2 * 1e6:
            self.restarts += 1
            return self._start(time_us, now_s)
        self._last_us = time_us % _MODULUS
        self._elapsed_us += step_us
        difference_s = now_s - self._elapsed_us / 1e6
        # By the switch's time: after a freeze the packets in the buffers are judged by the floor from before it.
        risen_s = self._floor_s + max(0, self._elapsed_us - self._floor_us) / 1e6 * DRIFT
        if difference_s <= risen_s:
            self._floor_s, self._floor_us = difference_s, self._elapsed_us
            risen_s = difference_s
        age_s = difference_s - risen_s
        if self._is_distrusted(age_s, now_s):
            self.restarts += 1
            return self._start(time_us, now_s)
        return age_s

    def _start(self, time_us: int, now_s: float) -> float:
        self._last_us = time_us % _MODULUS
        self._elapsed_us = self._floor_us = 0
        self._floor_s = now_s
        self._old_since_s = None
        return 0.0

    def _is_distrusted(self, age_s: float, now_s: float) -> bool:
        # A pause proves nothing: a controller that was frozen twice received no old packets in between.
        paused = now_s - self._seen_s > DISTRUST_S / 10
        self._seen_s = now_s
        if age_s <= self._limit_s:
            self._old_since_s = None
            return False
        if self._old_since_s is None or paused:
            self._old_since_s = now_s
        return now_s - self._old_since_s > DISTRUST_S
