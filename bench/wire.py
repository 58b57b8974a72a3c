# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The wire bench: packets a second, kernel TCP and round trips through each device, beside the plainest forwarder.

The devices take turns, several rounds in one run. The switch has cores of its own: on two cores one, and the rest
shares the other; on more each of the others has its own. Needs root; everything is in namespaces of the bench's own.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from wire_devices import Device, Running, Switch, devices, processor_s
from wire_ends import Ends, Role, result_of
from wire_network import Network, Pair, network

SIZES = (60, 512, 1514)
"""Bytes of a frame, without the checksum that hardware adds."""
LOADED_BYTES = 512
"""The size of the frames that load the device while round trips are measured."""
PRIORITY = -20
"""The nice value of everything here: other work of the machine disturbs less."""
PORT = 5001
FLOWS = 64
YARDSTICK = "forwarder"
LATENCY_TIMES = 3
LEAD_S = 0.4
PACED_BYTES = 1514
PACED_RATES_BPS = (1e6, 10e6, 100e6, 1e9, 10e9)
LEAST_PACED_PKTS = 160
MOST_PKTS_PER_S = 1e6
PARTS = ("rate", "tcp", "trip", "offloads", "pacing")


@dataclass(frozen=True, slots=True)
class Cores:
    """Which core does what."""

    device: tuple[int, ...]
    sender: tuple[int, ...]
    receiver: tuple[int, ...]
    others: tuple[int, ...]

    @classmethod
    def shared_out(cls, device: int) -> "Cores":
        """So many for the device; the rest is as far apart as the machine allows."""
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
            senders = [self._sender(pair, self._seconds, size) for pair in self._network.pairs]
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

    def round_trip(self, load: float) -> dict[str, Any]:
        """Datagrams there and back through the first pair, beside so many frames a second."""
        pair = self._network.pairs[0]
        address = f"{pair.address(1)}:{PORT}"
        seconds = LATENCY_TIMES * self._seconds
        inside, others = self._network.inside, self._cores.others
        with (
            self._counter(pair) as counter,
            self._ends.serving(inside(1), others[-1:], "echo", address=address),
        ):
            sender = self._sender(pair, seconds + LEAD_S, LOADED_BYTES, load)
            time.sleep(LEAD_S / 2)
            asked = self._ends.run(inside(0), others[:1], "ask", address=address, seconds=seconds)
            sent, received = result_of(sender), counter.end()
        return {
            "load_pkts_per_s": received["received"] / _span_s([received]),
            "load_lost": sent["sent"] - received["received"],
            **asked,
        }

    def paced(self, rate_bps: float, capable_pkts_per_s: float) -> dict[str, Any]:
        """How evenly a port with a rate sends full frames that come at 1.2 times the rate, or as fast as they can."""
        pair = self._network.pairs[0]
        asked_pkts_per_s = rate_bps / (8 * PACED_BYTES)
        load = min(1.2 * asked_pkts_per_s, capable_pkts_per_s)
        seconds = max(self._seconds, LEAST_PACED_PKTS / asked_pkts_per_s)
        with self._counter(pair, gaps="true") as counter:
            result_of(self._sender(pair, seconds, PACED_BYTES, load))
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

    def _sender(self, pair: Pair, seconds: float, size: int, load: float | None = None) -> "subprocess.Popen[str]":
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


def _span_s(counted: Sequence[dict[str, Any]]) -> float:
    """From the first frame of all counters to the last; endless where none came, so that the rate is 0."""
    spans = [each["span_s"] for each in counted if each["span_s"] is not None]
    if not spans:
        return math.inf
    return max(float(last) for _, last in spans) - min(float(first) for first, _ in spans)


def _difference(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before


class Run:
    """All devices in turn, and what they did."""

    def __init__(self, wire: Wire, made: Network, cores: Cores, folder: Path, console: Console) -> None:
        self._wire = wire
        self._network = made
        self._cores = cores
        self._folder = folder
        self._console = console
        self.rounds: list[dict[str, dict[str, Any]]] = []
        self.pacing: list[dict[str, Any]] = []

    def round(self, tried: Sequence[Device], parts: Collection[str], *, backwards: bool) -> None:
        """Each device once; every second round in the opposite order."""
        order = list(reversed(tried)) if backwards else list(tried)
        self.rounds.append({device.name: self._measured(device, parts) for device in order})

    def _measured(self, device: Device, parts: Collection[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        with device.running(self._network, self._cores.device, self._folder) as running:
            if "rate" in parts or "trip" in parts:
                sizes = SIZES if "rate" in parts else (LOADED_BYTES,)
                found["rates"] = [self._wire.rate(running, size) for size in sizes]
            if "tcp" in parts:
                found["tcp"] = self._wire.tcp()
            if "trip" in parts:
                loaded = next(each for each in found["rates"] if each["bytes"] == LOADED_BYTES)
                found["round_trip"] = self._wire.round_trip(loaded["pkts_per_s"] / 2)
        if "offloads" in parts:
            # Started again: a device looks at the interfaces when it begins.
            self._network.set_offloads(on=True)
            try:
                with device.running(self._network, self._cores.device, self._folder):
                    found["tcp_offloads"] = self._wire.tcp()
            finally:
                self._network.set_offloads(on=False)
        self._console.print(f"  {device.name}: {_short(found)}", highlight=False)
        return found

    def pace(self, arguments: str) -> None:
        """A port with each rate, of the switch with Quench's program."""
        for rate_bps in PACED_RATES_BPS:
            words = ("--port", f"2:rate={rate_bps:.0f}bps", *arguments.split())
            device = Switch(f"paced at {rate_bps:g} b/s", arguments=words)
            with device.running(self._network, self._cores.device, self._folder):
                self.pacing.append(self._wire.paced(rate_bps, MOST_PKTS_PER_S))


def _short(found: dict[str, Any]) -> str:
    words = [f"{each['bytes']} B {each['pkts_per_s'] / 1e3:.0f} k/s" for each in found.get("rates", ())]
    for name, text in (("tcp", "TCP"), ("tcp_offloads", "TCP with offloads")):
        if name in found:
            stalled = found[name]["stalled"]
            words.append(f"{text} {'stalled' if stalled else format(found[name]['gbit_per_s'], '.2f') + ' Gb/s'}")
    if "round_trip" in found:
        trip = found["round_trip"]
        words.append(f"round trip {trip['median_us']:.0f} us, 99.9 % {trip['p99_9_us']:.0f} us")
    return ", ".join(words)


def _table(console: Console, rounds: Sequence[dict[str, dict[str, Any]]]) -> None:
    """Medians over the rounds; the ratios are to the yardstick of the same round."""
    table = Table("k packets/s", *(f"{size} B" for size in SIZES), "TCP Gb/s", "offloads", "round trip us, 99.9 %")
    for name in rounds[0]:
        cells = [_rate_cell(rounds, name, size) for size in SIZES]
        for key in ("tcp", "tcp_offloads"):
            found = [each[name][key] for each in rounds if key in each[name]]
            stalled = any(each["stalled"] for each in found)
            rates = [each["gbit_per_s"] for each in found]
            cells.append("stalled" if stalled else f"{median(rates):.2f}" if rates else "")
        trips = [each[name]["round_trip"] for each in rounds if "round_trip" in each[name]]
        times = [median([each[key] for each in trips]) for key in ("median_us", "p99_9_us") if trips]
        cells.append(", ".join(f"{each:.0f}" for each in times))
        table.add_row(name, *cells)
    console.print(table)
    console.print("Behind each rate: times the forwarder's, by the clock and by the device's processor time.")


def _rate_cell(rounds: Sequence[dict[str, dict[str, Any]]], name: str, size: int) -> str:
    words = []
    for key in ("pkts_per_s", "pkts_per_core_s"):
        mine = [_rate(each[name], size, key) for each in rounds]
        yards = [_rate(each.get(YARDSTICK, {}), size, key) for each in rounds]
        known = [rate for rate in mine if rate]
        if known and key == "pkts_per_s":
            words.append(f"{median(known) / 1e3:.0f}")
        ratios = [rate / yard for rate, yard in zip(mine, yards, strict=True) if rate and yard]
        if ratios:
            words.append(f"{median(ratios):.2f}")
    return "  ".join(words)


def _rate(found: dict[str, Any], size: int, key: str) -> float | None:
    return next((each[key] for each in found.get("rates", ()) if each["bytes"] == size), None)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Turns of all devices.")] = 3,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of each measurement.")] = 0.5,
    pairs: Annotated[int, typer.Option(min=1, max=16, help="Of ports, each with a sender of its own.")] = 1,
    device_cores: Annotated[int, typer.Option(min=1, help="For the device.")] = 1,
    arguments: Annotated[
        list[str] | None, typer.Option(help="Words for the switch, such as '--threads 2': adds variants. Repeatable.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Of the devices, those that begin so. Repeatable.")] = None,
    part: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(PARTS)}, these. Repeatable.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Measure, and print ratios to the forwarder, or JSON."""
    console = Console(stderr=as_json, width=None if sys.stdout.isatty() else 120)
    chosen = [each for each in devices(arguments or []) if only is None or each.name.startswith(tuple(only))]
    parts = set(part or PARTS)
    cores = Cores.shared_out(device_cores)
    os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    with tempfile.TemporaryDirectory(prefix="quench-bench-") as name, network(pairs, Path(name)) as made:
        run = Run(Wire(made, cores, seconds), made, cores, Path(name), console)
        for number in range(rounds):
            run.round(chosen, parts, backwards=number % 2 == 1)
        if "pacing" in parts:
            run.pace("")
    _table(console, run.rounds)
    if as_json:
        sys.stdout.write(json.dumps({"rounds": run.rounds, "pacing": run.pacing}) + "\n")


if __name__ == "__main__":
    typer.run(main)
