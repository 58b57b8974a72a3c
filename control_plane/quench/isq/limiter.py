# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Limits on the rate of ISQs (RFC 1812 section 4.3.2.8): token buckets, one per source and one over all."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

MAX_SOURCES = 65536
"""Sources whose buckets are remembered; the one that was quiet for the longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """``rate_per_s`` messages a second in the long run, ``burst`` at once."""

    rate_per_s: float
    burst: int


class TokenBucket:
    """Starts full. Time is given by the caller, in seconds."""

    __slots__ = ("_limit", "_time_s", "_tokens")

    def __init__(self, limit: RateLimit, now_s: float) -> None:
        self._limit = limit
        self._tokens = float(limit.burst)
        self._time_s = now_s

    def refill(self, now_s: float) -> bool:
        """Bring the bucket up to date; whether there is a token."""
        elapsed = max(0.0, now_s - self._time_s)
        self._tokens = min(float(self._limit.burst), self._tokens + elapsed * self._limit.rate_per_s)
        self._time_s = now_s
        return self._tokens >= 1

    def take(self) -> None:
        """Take the token that ``refill`` has found."""
        self._tokens -= 1


class Limiter:
    """Decides for each ISQ whether it may be sent. ``None`` is no limit."""

    def __init__(self, per_source: RateLimit | None, total: RateLimit | None) -> None:
        self._per_source = per_source
        self._total_limit = total
        self._total: TokenBucket | None = None
        self._sources: OrderedDict[bytes, TokenBucket] = OrderedDict()

    def refuses(self, source: bytes, now_s: float) -> Literal["source", "total"] | None:
        """Which limit forbids an ISQ to this source now; if none does, it counts as sent."""
        bucket = self._bucket(source, now_s)
        if bucket is not None and not bucket.refill(now_s):
            return "source"
        if self._total_limit is not None:
            if self._total is None:
                self._total = TokenBucket(self._total_limit, now_s)
            if not self._total.refill(now_s):
                return "total"
            self._total.take()
        if bucket is not None:
            bucket.take()
        return None

    def _bucket(self, source: bytes, now_s: float) -> TokenBucket | None:
        if self._per_source is None:
            return None
        bucket = self._sources.get(source)
        if bucket is None:
            bucket = self._sources[source] = TokenBucket(self._per_source, now_s)
            if len(self._sources) > MAX_SOURCES:
                self._sources.popitem(last=False)
        else:
            self._sources.move_to_end(source)
        return bucket
