# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Blind attacks on a running transfer: forged source quenches accepted, and reductions of the window."""

from __future__ import annotations

import statistics
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from hostlab.hosts import RIGHT, NewNamespace, Pair, counters, quench_host
from hostlab.packets import Quench
from hostlab.transfer import Transfer

ATTACKER = Path(__file__).with_name("attacker.py")
BATCH = 50_000
RELAXED = ("--isq-from", "any", "--isq-identification", "ignore")
_IP_TCP_BYTES = 40


@dataclass(frozen=True)
class Link:
    """A path, and the packets in flight on it."""

    name: str
    one_way_delay_s: float
    window_pkts: int
    packet_bytes: int = 1500


SHORT = Link("short", 0.002, 40)
LONG = Link("long", 0.05, 100)
# Packets of 60 KB stand for a fast link, which the tests' wire could not carry in small ones.
FAT = Link("long and fat", 0.05, 210, 60_000)


@dataclass(frozen=True)
class Outcome:
    """The result of an attack; ``in_flight_bytes`` is the median before it."""

    in_flight_bytes: int
    guesses: int
    seconds: float
    accepted: int
    windows_cut: int

    @property
    def guesses_per_s(self) -> float:
        return self.guesses / self.seconds


class Target:
    """A transfer over a path, with the window at its limit."""

    def __init__(self, new_namespace: NewNamespace, path: Link, *rules: str) -> None:
        self._path = path
        self._pair = Pair(new_namespace, path.one_way_delay_s)
        self._transfer: Transfer | None = None
        self._trimming = False
        try:
            self._set_up(*rules)
        except BaseException:
            self.close()
            raise

    def _set_up(self, *rules: str) -> None:
        path, pair = self._path, self._pair
        # A little less than the window needs, so that the window is the limit.
        pair.wire.spacing_s = 1.9 * path.one_way_delay_s / path.window_pkts
        for ns, device in ((pair.sender, "h0"), (pair.receiver, "h1"), (pair.middle, "w0"), (pair.middle, "w1")):
            ns.run("ip", "link", "set", device, "mtu", str(path.packet_bytes))
        for ns in (pair.sender, pair.receiver):
            ns.run("sysctl", "-qw", *(f"net.ipv4.tcp_{m}mem=4096 16777216 67108864" for m in "rw"))
        window = ("--set", f"max_cwnd_pkts={path.window_pkts}")
        quench_host(pair.sender, "enable", "--algo", "becn", "--dev", "h0", *window, *rules)
        quench_host(pair.receiver, "enable", "--algo", "becn", "--dev", "h1")
        self._transfer = Transfer(pair.sender, pair.receiver, RIGHT, 5000)
        self._transfer.until(lambda w: w.cwnd_pkts >= path.window_pkts)

    def close(self) -> None:
        if self._transfer:
            self._transfer.close()
        self._pair.close()

    def disable(self) -> None:
        """Leave nothing on the machine."""
        for ns, device in ((self._pair.sender, "h0"), (self._pair.receiver, "h1")):
            quench_host(ns, "disable", "--dev", device)

    def attack(self, guesses: int, seed: int) -> Outcome:
        """Let so many guesses reach the host."""
        assert self._transfer
        pair = self._pair
        segment_bytes = self._path.packet_bytes - _IP_TCP_BYTES
        in_flight = [w.unacked_pkts * segment_bytes for w in self._transfer.watch(4 * self._path.one_way_delay_s)]
        frame = Quench(marked=True).about(pair.wire.newest_data().frame).hex()
        seconds = 0.0
        # The wire records all segments, which would be too many for so long a transfer.
        trimmer = threading.Thread(target=self._trim, name="trim", daemon=True)
        self._trimming = True
        trimmer.start()
        while (arrived := counters(pair.sender).get("isq_received", 0)) < guesses:
            seed += 1
            count = min(BATCH, guesses - arrived)
            done = pair.middle.run(sys.executable, str(ATTACKER), "w0", frame, str(count), str(seed))
            seconds += float(done.stdout)
        self._trimming = False
        trimmer.join()
        # The last one takes effect at the next ACK.
        time.sleep(4 * self._path.one_way_delay_s)
        count_of = counters(pair.sender)
        return Outcome(
            in_flight_bytes=int(statistics.median(in_flight)),
            guesses=count_of["isq_received"],
            seconds=seconds,
            accepted=count_of.get("isq_accepted_marked", 0),
            windows_cut=count_of.get("reactions_isq_marked", 0),
        )

    def _trim(self) -> None:
        while self._trimming:
            time.sleep(0.1)
            del self._pair.wire.sent[:-1000], self._pair.wire.answered[:-1000]
