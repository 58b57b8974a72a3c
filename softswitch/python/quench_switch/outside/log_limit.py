# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A limit on what others can write into a log."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

BURST: Final = 20
"""Records of a kind at once."""
EACH_S: Final = 60.0
"""Seconds until a kind may have one more."""
MOST_KINDS: Final = 256
"""Kinds that are told apart. The others share one limit."""
_OWN: Final = "quench"
"""Beginning of the names of our own loggers."""
_Kind = tuple[str, str, int, object]


@dataclass(slots=True)
class _Bucket:
    records: float
    time_s: float
    left_out: int = 0


class LogLimit(logging.Filter):
    """Passes ``BURST`` warnings and errors of a kind, then one each ``EACH_S``; ``LineFormatter`` counts the others.

    A kind is a line of our code, with the switch or the like that the record is about (``extra={"about": name}``), or
    a file of a library. So nothing that others send makes a new kind. A record
    of level INFO that others cause is limited too: it has ``extra={"is_limited": True}``.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._buckets: dict[_Kind, _Bucket] = {}
        self._others = _Bucket(BURST, clock())
        self._lock = threading.RLock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written. Sets ``left_out`` of one that is, if records of its kind were not."""
        if record.levelno < logging.WARNING and not getattr(record, "is_limited", False):
            return True
        line = record.lineno if record.name.startswith(_OWN) else 0
        kind = (record.name, record.pathname, line, getattr(record, "about", None))
        with self._lock:
            bucket = self._bucket(kind)
            now_s = self._clock()
            bucket.records = min(float(BURST), bucket.records + (now_s - bucket.time_s) / EACH_S)
            bucket.time_s = now_s
            if bucket.records < 1:
                bucket.left_out += 1
                return False
            bucket.records -= 1
            record.left_out = bucket.left_out
            bucket.left_out = 0
        return True

    def _bucket(self, kind: _Kind) -> _Bucket:
        bucket = self._buckets.get(kind)
        if bucket is None and len(self._buckets) < MOST_KINDS:
            bucket = self._buckets[kind] = _Bucket(BURST, self._clock())
        return bucket or self._others
