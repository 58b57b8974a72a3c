# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Limits on the rate of ISQs (RFC 1812 section 4.3.2.8): token buckets, one per source and one over all."""

import os
from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from quench.isq.fairness import Fairness, Standing

MAX_SOURCES = 65536
"""Most sources with a bucket. Beyond it the quietest is forgotten."""

_FREE = 0.5
"""Part of the total's burst above which every request is granted. Below it the standing decides."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """``rate_per_s`` messages a second in the long run, ``burst`` at once."""

    rate_per_s: float
    burst: int


class TokenBucket:
    """A token bucket that starts full. The caller gives the time, in seconds."""

    __slots__ = ("_limit", "_time_s", "_tokens")

    def __init__(self, limit: RateLimit, now_s: float) -> None:
        self._limit = limit
        self._tokens = float(limit.burst)
        self._time_s = now_s

    def refill(self, now_s: float) -> float:
        """Add the tokens of the time since the last call, and return all that are in the bucket."""
        elapsed = max(0.0, now_s - self._time_s)
        self._tokens = min(float(self._limit.burst), self._tokens + elapsed * self._limit.rate_per_s)
        self._time_s = now_s
        return self._tokens

    def take(self) -> None:
        """Take one of the tokens that ``refill`` has found."""
        self._tokens -= 1


class Limiter:
    """Decides for each ISQ whether it may be sent. A limit of None is no limit.

    While the bucket of the total limit is at least half full, every ISQ may be sent. Below that, each standing
    (``Fairness``) may take tokens down to a level of its own, the strongest down to the last token.
    ``seed`` makes the choice repeatable; without it senders cannot foresee it.
    """

    def __init__(self, per_source: RateLimit | None, total: RateLimit | None, seed: bytes | None = None) -> None:
        self._per_source = per_source
        self._total_limit = total
        self._seed = seed
        self._total: TokenBucket | None = None
        self._fairness: Fairness | None = None
        self._sources: OrderedDict[tuple[int, bytes], TokenBucket] = OrderedDict()

    def refuses(self, port: int, source: bytes, now_s: float) -> Literal["source", "total"] | None:
        """The limit that forbids an ISQ to a source whose packet came in by this port; None: it counts as sent."""
        # By port as well: else forged packets on another port could use up a source's tokens.
        bucket = self._sources.get((port, source))
        if bucket is not None:
            self._sources.move_to_end((port, source))
            if bucket.refill(now_s) < 1:
                return "source"
        if self._total_limit is not None and not self._takes_of_total(self._total_limit, port, source, now_s):
            return "total"
        if self._per_source is not None:
            if bucket is None:
                bucket = self._remembered(self._per_source, (port, source), now_s)
            bucket.take()
        return None

    def _takes_of_total(self, limit: RateLimit, port: int, source: bytes, now_s: float) -> bool:
        if self._total is None:
            self._total = TokenBucket(limit, now_s)
        tokens = self._total.refill(now_s)
        if tokens < max(1.0, limit.burst * _FREE):
            if self._fairness is None:
                self._fairness = Fairness(limit.rate_per_s, os.urandom(16) if self._seed is None else self._seed)
            standing = self._fairness.standing(port, source, now_s)
            if tokens < max(1.0, limit.burst * _FREE * standing / len(Standing)):
                return False
            self._fairness.granted(port, source, now_s)
        self._total.take()
        return True

    def _remembered(self, limit: RateLimit, source: tuple[int, bytes], now_s: float) -> TokenBucket:
        """A new bucket, made with the first ISQ: sources that get none displace no other source."""
        bucket = self._sources[source] = TokenBucket(limit, now_s)
        bucket.refill(now_s)
        if len(self._sources) > MAX_SOURCES:
            self._sources.popitem(last=False)
        return bucket
