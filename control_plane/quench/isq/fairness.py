# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose ISQs go first while there are more than a limit allows.

Source addresses cost nothing to forge, so a share for each address would be a share for the forger. What costs is to
be seen again and again from the same one: a source counts as established when it was, and established sources have
fair shares of the limit. A flood of addresses that come once competes with itself only.
"""

from array import array
from collections import OrderedDict
from enum import IntEnum
from hashlib import blake2b

SLOTS_BITS = 20
"""Of the table in which sources are counted that are not established: 8 bytes a slot."""
ESTABLISHED_AFTER = 8
"""Packets. In a slot that others hit too, each hit of theirs takes one back."""
MAX_ESTABLISHED = 4096
"""The one that was quiet for the longest goes first. More would have less than a few ISQs a second each."""
FORGET_S = 5.0
"""After which a quiet source is established no more."""
AHEAD_S = 0.1
"""So many seconds of its share may a source use at once."""


class Standing(IntEnum):
    """What a source may claim, the strongest first."""

    WITHIN_SHARE = 0
    BEYOND_SHARE = 1
    NEW = 2


class _Established:
    __slots__ = ("paid_until_s", "seen_s")

    def __init__(self, now_s: float) -> None:
        self.seen_s = now_s
        self.paid_until_s = now_s
        """When its share has made up for what it was granted."""


class Fairness:
    """Of one limit of ``rate_per_s``. The ``seed`` keeps senders from choosing whose slot they hit."""

    def __init__(self, rate_per_s: float, seed: bytes) -> None:
        self._rate_per_s = rate_per_s
        self._seed = seed
        self._slots = array("Q", bytes(8 << SLOTS_BITS))
        """A fingerprint, and in the lowest byte how often it was seen more than others."""
        self._established: OrderedDict[bytes, _Established] = OrderedDict()

    def standing(self, source: bytes, now_s: float) -> Standing:
        """See a packet of a source; what it may claim now."""
        self._forget(now_s)
        entry = self._established.get(source)
        if entry is None:
            if not self._count(source):
                return Standing.NEW
            entry = self._established[source] = _Established(now_s)
            if len(self._established) > MAX_ESTABLISHED:
                self._established.popitem(last=False)
        self._established.move_to_end(source)
        entry.seen_s = now_s
        return Standing.WITHIN_SHARE if entry.paid_until_s <= now_s + AHEAD_S else Standing.BEYOND_SHARE

    def granted(self, source: bytes, now_s: float) -> None:
        """It got one."""
        entry = self._established.get(source)
        if entry is not None:
            entry.paid_until_s = max(entry.paid_until_s, now_s) + len(self._established) / self._rate_per_s

    def _forget(self, now_s: float) -> None:
        while self._established:
            source, entry = next(iter(self._established.items()))
            if now_s - entry.seen_s <= FORGET_S:
                return
            del self._established[source]

    def _count(self, source: bytes) -> bool:
        """Whether it has been seen often enough. The strongest of those that share a slot stays (majority vote)."""
        digest = int.from_bytes(blake2b(source, digest_size=8, key=self._seed).digest(), "big")
        slot, fingerprint = digest & ((1 << SLOTS_BITS) - 1), digest >> SLOTS_BITS
        held, times = divmod(self._slots[slot], 256)
        if held == fingerprint and times:
            times += 1
            is_established = times >= ESTABLISHED_AFTER
            self._slots[slot] = 0 if is_established else fingerprint << 8 | times
            return is_established
        self._slots[slot] = held << 8 | times - 1 if times > 1 else fingerprint << 8 | 1
        return False
