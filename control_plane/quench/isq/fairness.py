# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The order in which sources get ISQs while more are wanted than a limit allows.

Source addresses cost nothing to forge, so a share for each address would be a share for the forger. The port by which a
packet came into the switch cannot be forged. So ports have fair shares of the limit first. Within a port, a source is
established when the same address was seen again and again, and established sources have fair shares of their port's
share. A flood of forged addresses therefore competes only with packets of the same port. If each of its addresses comes
once, it competes only with other new addresses.
"""

from array import array
from collections import OrderedDict
from enum import IntEnum
from hashlib import blake2b

SLOTS_BITS = 20
"""Size of the table that counts sources which are not established: 2^20 slots of 8 bytes."""
ESTABLISHED_AFTER = 8
"""Packets after which a source is established. A hit of another source on the same slot takes one back."""
MAX_ESTABLISHED = 4096
"""Most established sources on all ports: more would have less than a few ISQs a second each. Beyond it the port with
the most gives up its quietest source."""
MAX_PORTS = 512
"""Ports of a switch. Beyond it the quietest port is forgotten."""
FORGET_S = 5.0
"""Quiet time after which a source is no longer established and a port has no share."""
AHEAD_S = 0.1
"""Seconds of its share that a port or a source may use at once."""


class Standing(IntEnum):
    """The claim of a packet's port and source, strongest first. The port's share counts before the source's."""

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
        """Time at which its share has made up for the ISQs that it was granted."""

    def within(self, now_s: float) -> bool:
        return self.paid_until_s <= now_s + AHEAD_S

    def pay(self, seconds: float, now_s: float) -> None:
        self.paid_until_s = max(self.paid_until_s, now_s) + seconds


class _Port(_Account):
    __slots__ = ("sources",)

    def __init__(self, now_s: float) -> None:
        super().__init__(now_s)
        self.sources: OrderedDict[bytes, _Account] = OrderedDict()
        """The established sources, quietest first."""


class Fairness:
    """Fair shares of one limit. Without the ``seed`` a sender cannot choose another source's slot."""

    def __init__(self, rate_per_s: float, seed: bytes) -> None:
        self._rate_per_s = rate_per_s
        self._seed = seed
        self._slots = array("Q", bytes(8 << SLOTS_BITS))
        """One number for each slot: a fingerprint, and in the lowest byte its hits minus those of other
        fingerprints."""
        self._ports: OrderedDict[int, _Port] = OrderedDict()
        self._established = 0

    def standing(self, port: int, source: bytes, now_s: float) -> Standing:
        """Count a packet of a source that came in by a port, and return its standing now."""
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
        """Charge an ISQ to its port and source."""
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
        """Whether a source has been seen often enough. The most frequent source of a slot stays (majority vote)."""
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
