# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The lines of log about the state of a switch."""

import logging
import time

from quench_switch.outside.log_limit import BURST, EACH_S

from quench.isq.limiter import RateLimit, TokenBucket

LIMIT = RateLimit(rate_per_s=1 / EACH_S, burst=BURST)
"""Limit of log lines about the state of a switch, as that of ``LogLimit``: a state that was left out is said later."""


class StateLog:
    """Logs a state when it changes, within ``LIMIT``: a switch that is away for a day is one line."""

    def __init__(self, logger: logging.Logger, switch: str) -> None:
        self._logger = logger
        self._switch = switch
        self._state = ""
        self._bucket = TokenBucket(LIMIT, time.monotonic())
        self._unsaid = 0

    def say(self, level: int, state: str) -> bool:
        """Log a state, if it is a new one and the limit allows a line; whether it was logged."""
        if state == self._state:
            return False
        if self._bucket.refill(time.monotonic()) < 1:
            self._unsaid += 1
            return False
        self._bucket.take()
        left_out = f" ({self._unsaid} lines about this switch were left out before)" if self._unsaid else ""
        self._state, self._unsaid = state, 0
        self._logger.log(level, "%s: %s%s", self._switch, state, left_out, extra={"about": self._switch})
        return True
