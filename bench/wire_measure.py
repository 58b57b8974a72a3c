# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of one device: frames a second, kernel TCP, round trips, the pacing of a port."""

import math
import os
import subprocess
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wire_devices import Running, processor_s
from wire_ends import Ends, Role, result_of
from wire_network import Network, Pair

LOADED_BYTES = 512
"""The size of the frames that load the device while round trips are measured."""
PORT = 5001
FLOWS = 64
TRIP_TIMES = 3
"""Round trips are measured for so many times the time of the rest: 99.9 % need many."""
LEAD_S = 0.4
"""Load begins so long before the round trips and lasts so much longer."""
PACED_BYTES = 1514
LEAST_PACED_PKTS = 160
MOST_PKTS_PER_S = 1e6
"""A sender with a rate is asked for no more."""


@dataclass(frozen=True, slots=True)
class Cores:
    """The cores of each process."""

    device: tuple[int, ...]
    sender: tuple[int, ...]
    receiver: tuple[int, ...]
    others: tuple[int, ...]

    @classmethod
    def shared_out(cls, device: int) -> "Cores":
        """Give so many to the device, and keep the rest as far apart as the machine allows."""
        cores = sorted(os.sched_getaffinity(0))
        own, rest = tuple(cores[:device]), cores[device:] or cores
        return cls(own, (rest[0],), (rest[1 % len(rest)],), tuple(rest[2:] or rest))


class Wire:
    """Measures devices in one network."""

    def __init__(self, made: Network, cores: Cores, seconds: float) -> None:
        self._network = made
        self._cores = cores
        self._seconds = seconds
        self._ends = Ends()

    def rate(self, device: Running, size: int) -> dict[str, Any]:
        """Frames of one size through all pairs at once, as fast as the senders can."""
        with ExitStack() as stack:
            counters = [stack.enter_context(self._counter(pair)) for pair in self._network.pairs]
            dropped, busy_s = device.dropped(), processor_s(device.pids)
            senders = [self.sender(pair, self._seconds, size) for pair in self._network.pairs]
            sent = sum(result_of(sender)["sent"] for sender in senders)
            received = [counter.end() for counter in counters]
            busy_s = processor_s(device.pids) - busy_s
            drops = _difference(device.dropped(), dropped)
        arrived = sum(each["received"] + each["overruns"] for each in received)
        seconds = _span_s(received)
        return {
            "bytes": size,
            "sent": sent,
            "arrived": arrived,
            "dropped": drops,
            "unaccounted": _difference(sent - arrived, drops),
            "disordered": sum(each["disordered"] for each in received),
            "pkts_per_s": arrived / seconds,
            "pkts_per_core_s": arrived / busy_s if busy_s else None,
        }

    def tcp(self) -> dict[str, Any]:
        """One connection of kernel TCP through the first pair, in Gb/s of payload."""
        pair = self._network.pairs[0]
        address = f"{pair.address(1)}:{PORT}"
        inside = self._network.inside
        with self._ends.serving(inside(1), self._cores.receiver, "tcp-receive", address=address) as receiver:
            sent = self._ends.run(
                inside(0), self._cores.sender, "tcp-send", address=address, seconds=max(1.0, self._seconds)
            )
            received = receiver.end()
        rate = received["bytes"] * 8 / received["seconds"] / 1e9 if received["seconds"] else 0.0
        return {"stalled": sent["stalled"], "gbit_per_s": 0.0 if sent["stalled"] else rate}

    def round_trip(self, device: Running, load: float) -> dict[str, Any]:
        """Datagrams there and back through the first pair, beside so many frames a second.

        All of it has real-time priority: the wait for other work of the machine would be the longest.
        """
        pair = self._network.pairs[0]
        address = f"{pair.address(1)}:{PORT}"
        seconds = TRIP_TIMES * self._seconds
        inside, others = self._network.inside, self._cores.others
        with (
            real_time(device.pids),
            real_time([os.getpid()]),
            self._counter(pair) as counter,
            self._ends.serving(inside(1), others[-1:], "echo", address=address),
        ):
            sender = self.sender(pair, seconds + LEAD_S, LOADED_BYTES, load)
            time.sleep(LEAD_S / 2)
            asked = self._ends.run(inside(0), others[:1], "ask", address=address, seconds=seconds)
            sent, received = result_of(sender), counter.end()
        return {
            "load_pkts_per_s": received["received"] / _span_s([received]),
            "load_lost": sent["sent"] - received["received"],
            **asked,
        }

    def paced(self, device: Running, rate_bps: float) -> dict[str, Any]:
        """Measure how evenly a port with a rate sends full frames that come faster, 1.2 times if possible."""
        pair = self._network.pairs[0]
        asked_pkts_per_s = rate_bps / (8 * PACED_BYTES)
        load = min(1.2 * asked_pkts_per_s, MOST_PKTS_PER_S)
        seconds = max(self._seconds, LEAST_PACED_PKTS / asked_pkts_per_s)
        with real_time(device.pids), real_time([os.getpid()]), self._counter(pair, gaps="true") as counter:
            result_of(self.sender(pair, seconds, PACED_BYTES, load))
            received = counter.end()
        gaps = received["gaps"]
        return {
            "rate_bps": rate_bps,
            "over_asked": 1e6 / gaps["mean_us"] / asked_pkts_per_s,
            "ideal_us": 1e6 / asked_pkts_per_s,
            **gaps,
        }

    def _counter(self, pair: Pair, **more: str) -> AbstractContextManager[Role]:
        return self._ends.serving(
            self._network.inside(1), self._cores.receiver, "count", interface=pair.ends[1], **more
        )

    def sender(self, pair: Pair, seconds: float, size: int, load: float | None = None) -> "subprocess.Popen[str]":
        """A sender of frames of one size, as fast as it can or at a load of frames a second."""
        return self._ends.start(
            self._network.inside(0),
            self._cores.sender,
            "send",
            interface=pair.ends[0],
            seconds=seconds,
            bytes=size,
            flows=FLOWS,
            source_mac=pair.mac(0),
            destination_mac=pair.sink_mac,
            source=pair.address(0),
            destination=pair.sink,
            **({} if load is None else {"rate": load}),
        )


@contextmanager
def real_time(pids: Collection[int]) -> Iterator[None]:
    """Give all threads of these processes, and what they start, real-time priority while the block runs."""
    threads = [int(each.name) for pid in pids for each in Path(f"/proc/{pid}/task").iterdir()]
    for thread in threads:
        # A thread may have ended since it was listed.
        with suppress(ProcessLookupError):
            os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        for thread in threads:
            with suppress(ProcessLookupError):
                os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))


def _span_s(counted: Sequence[dict[str, Any]]) -> float:
    """From the first frame of all counters to the last; endless where none came, so that the rate is 0."""
    spans = [each["span_s"] for each in counted if each["span_s"] is not None]
    if not spans:
        return math.inf
    return max(float(last) for _, last in spans) - min(float(first) for first, _ in spans)


def _difference(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before
