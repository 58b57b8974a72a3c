# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose ISQs go first while there are more than a limit allows.

Source addresses cost nothing to forge, so a share for each address would be a share for the forger. What cannot be
forged is the port by which a packet came into the switch: ports have fair shares of the limit first. Within a port what
costs is to be seen again and again from the same address: a source counts as established when it was, and established
sources have fair shares of their port's. A flood of addresses competes with what came in by the same port only, and a
flood of addresses that come once with itself only.
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
"""On all ports. More would have less than a few ISQs a second each: the port with the most gives one up, the one that
was quiet for the longest."""
MAX_PORTS = 512
"""As many as a switch has; of more, the one that was quiet for the longest is forgotten."""
FORGET_S = 5.0
"""After which a quiet source is established no more, and a quiet port has no share."""
AHEAD_S = 0.1
"""So many seconds of its share may a port or a source use at once."""


class Standing(IntEnum):
    """What a packet's port and source may claim, the strongest first. The port's share counts before the source's."""

    WITHIN_SHARE = 0
    SOURCE_BEYOND = 1
    SOURCE_NEW = 2
    PORT_BEYOND = 3
    BOTH_BEYOND = 4
    PORT_BEYOND_SOURCE_NEW = 5


class _Account:
    __slots__ = ("paid_until_s", "seen_s")

    def __init__(self, now_s: float) -> None:
        self.seen_s = now_s
        self.paid_until_s = now_s
        """When its share has made up for what it was granted."""

    def within(self, now_s: float) -> bool:
        return self.paid_until_s <= now_s + AHEAD_S

    def pay(self, seconds: float, now_s: float) -> None:
        self.paid_until_s = max(self.paid_until_s, now_s) + seconds


class _Port(_Account):
    __slots__ = ("sources",)

    def __init__(self, now_s: float) -> None:
        super().__init__(now_s)
        self.sources: OrderedDict[bytes, _Account] = OrderedDict()
        """Those that are established, the quietest first."""


class Fairness:
    """Of one limit of ``rate_per_s``. The ``seed`` keeps senders from choosing whose slot they hit."""

    def __init__(self, rate_per_s: float, seed: bytes) -> None:
        self._rate_per_s = rate_per_s
        self._seed = seed
        self._slots = array("Q", bytes(8 << SLOTS_BITS))
        """A fingerprint, and in the lowest byte how often it was seen more than others."""
        self._ports: OrderedDict[int, _Port] = OrderedDict()
        self._established = 0

    def standing(self, port: int, source: bytes, now_s: float) -> Standing:
        """See a packet of a source that came in by a port; what it may claim now."""
        of_port = self._seen_port(port, now_s)
        self._forget_sources(of_port, now_s)
        entry = of_port.sources.get(source)
        if entry is None and self._count(port.to_bytes(4, "big") + source):
            entry = of_port.sources[source] = _Account(now_s)
            self._established += 1
            if self._established > MAX_ESTABLISHED:
                largest = max(self._ports.values(), key=lambda each: len(each.sources))
                largest.sources.popitem(last=False)
                self._established -= 1
        if entry is None:
            standing = Standing.SOURCE_NEW
        else:
            of_port.sources.move_to_end(source)
            entry.seen_s = now_s
            standing = Standing.WITHIN_SHARE if entry.within(now_s) else Standing.SOURCE_BEYOND
        return standing if of_port.within(now_s) else Standing(standing + Standing.PORT_BEYOND)

    def granted(self, port: int, source: bytes, now_s: float) -> None:
        """It got one."""
        of_port = self._ports[port]
        share_s = len(self._ports) / self._rate_per_s
        of_port.pay(share_s, now_s)
        entry = of_port.sources.get(source)
        if entry is not None:
            entry.pay(share_s * len(of_port.sources), now_s)

    def _seen_port(self, port: int, now_s: float) -> _Port:
        found = self._ports.get(port)
        if found is None:
            found = self._ports[port] = _Port(now_s)
        self._ports.move_to_end(port)
        found.seen_s = now_s
        while len(self._ports) > MAX_PORTS or now_s - next(iter(self._ports.values())).seen_s > FORGET_S:
            _, quiet = self._ports.popitem(last=False)
            self._established -= len(quiet.sources)
        return found

    def _forget_sources(self, port: _Port, now_s: float) -> None:
        while port.sources and now_s - next(iter(port.sources.values())).seen_s > FORGET_S:
            port.sources.popitem(last=False)
            self._established -= 1

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
