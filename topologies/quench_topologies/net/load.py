# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The load that ``quench net`` brings: TCP flows between the network's pairs, datagrams, and what they did lately."""

import logging
import time
from statistics import median
from typing import Self

from quench_switch.outside.units import format_rate_bps, parse_rate_bps

from quench_topologies.common_options import PAPER
from quench_topologies.datagram_traffic import GRACE_S, DatagramTraffic, SentDatagram
from quench_topologies.datagrams import ConstantRate
from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import Datagrams, LoadedPlan
from quench_topologies.network import RunningNetwork
from quench_topologies.traffic import SAMPLE_INTERVAL_S, Traffic, WindowSample

LOGGER = logging.getLogger(__name__)
MAX_UDP_BPS = 50_000_000
"""More than one thread of Python can send beside the flows."""
START_SPREAD_S = 2.0
LATELY_S = 10.0
"""The time over which the figures are taken, up to now."""
_KEPT_SAMPLES = round(LATELY_S / SAMPLE_INTERVAL_S)


def datagrams_of(text: str, loaded: LoadedPlan) -> Datagrams:
    """The datagrams that ``--udp`` names: a rate, or those of the paper. Raises TopologyError."""
    if text == PAPER:
        if loaded.datagrams is None:
            raise TopologyError(f"--udp {PAPER}: this network's paper sends no datagrams: give a rate, such as 1Mbps")
        return loaded.datagrams
    try:
        rate_bps = parse_rate_bps(text)
    except ValueError as error:
        raise TopologyError(f"--udp: {error}, or as {PAPER}") from error
    if rate_bps > MAX_UDP_BPS:
        raise TopologyError(f"--udp {text}: {format_rate_bps(MAX_UDP_BPS)} are the most: use iperf -u for more")
    packet_bytes = loaded.plan.tcp.packet_bytes
    sender, receiver = loaded.places[0].pairs[0]
    always_s = max(1.0, 8 * packet_bytes / rate_bps)
    return Datagrams(sender, receiver, ConstantRate(rate_bps, packet_bytes, on_s=always_s, off_s=0.0))


class Load:
    """Runs on a network that is up, from entering it as a context to leaving it."""

    def __init__(self, network: RunningNetwork, loaded: LoadedPlan, datagrams: Datagrams | None, seed: int) -> None:
        self._traffic: Traffic | None = None
        self._udp: DatagramTraffic | None = None
        self._datagrams = datagrams
        if loaded.flows:
            ends = [network.ends(*pair) for pair in loaded.tcp_ends]
            self._traffic = Traffic(ends, START_SPREAD_S, seed, loaded.plan.tcp.max_window_bytes, _KEPT_SAMPLES)
        if datagrams is not None:
            kept_pkts = round((LATELY_S + GRACE_S) * datagrams.load.most_pps)
            self._udp = DatagramTraffic(
                network.ends(datagrams.sender, datagrams.receiver), datagrams.load, seed, kept_pkts
            )

    def __enter__(self) -> Self:
        for part in (self._traffic, self._udp):
            if part is not None:
                part.start()
        return self

    def __exit__(self, *exception: object) -> None:
        for part in (self._udp, self._traffic):
            if part is not None:
                part.stop()
                try:
                    part.check()
                except TopologyError as error:
                    LOGGER.error("%s", error)

    def describe(self) -> list[str]:
        """A line for the flows and one for the datagrams. Raises TopologyError if one of them has failed."""
        lines = []
        if self._traffic is not None:
            self._traffic.check()
            lines.append(describe_flows(self._traffic.samples()))
        if self._udp is not None and self._datagrams is not None:
            self._udp.check()
            ends = f"UDP from {self._datagrams.sender} to {self._datagrams.receiver}"
            packets = describe_datagrams(self._udp.newest(), self._datagrams.load.packet_bytes, time.time_ns())
            lines.append(f"{ends}: {packets}")
        return lines or ["there is no built-in load: --traffic and --udp start it"]


def describe_flows(flows: list[list[WindowSample]]) -> str:
    """All flows together, in the time of these samples."""
    connected = [samples for samples in flows if len(samples) > 1]
    if not connected:
        return f"{len(flows)} TCP flows: none is connected as yet"
    acked_bps = sum(8 * (each[-1].acked_bytes - each[0].acked_bytes) / _span_s(each) for each in connected)
    again_pkts = sum(each[-1].retransmitted_pkts - each[0].retransmitted_pkts for each in connected)
    windows = [each[-1].cwnd_pkts for each in connected]
    trip_ms = median(each[-1].srtt_us for each in connected) / 1000
    return (
        f"{len(connected)} TCP flows, the last {max(_span_s(each) for each in connected):.0f} s: "
        f"{acked_bps / 1e6:.2f} Mb/s of data, {again_pkts} retransmissions; "
        f"now cwnd {min(windows)} to {max(windows)} packets, median {median(windows):g}, "
        f"and a median round trip of {trip_ms:.0f} ms"
    )


def _span_s(samples: list[WindowSample]) -> float:
    return samples[-1].time_s - samples[0].time_s


def describe_datagrams(packets: list[SentDatagram], packet_bytes: int, now_ns: int) -> str:
    """The last seconds' packets, without those that may still be on their way."""
    first_ns, last_ns = now_ns - (LATELY_S + GRACE_S) * 1e9, now_ns - GRACE_S * 1e9
    settled = [each for each in packets if first_ns < each.sent_ns < last_ns]
    if len(settled) < 2:
        return "none as yet"
    span_s = (settled[-1].sent_ns - settled[0].sent_ns) / 1e9
    delays_s = [each.delay_s for each in settled if each.delay_s is not None]
    rate_bps = 8 * packet_bytes * (len(settled) - 1) / span_s
    lost_percent = 100 * (len(settled) - len(delays_s)) / len(settled)
    delay = f", median delay {1000 * median(delays_s):.0f} ms" if delays_s else ""
    return f"the last {span_s:.0f} s {rate_bps / 1e6:.2f} Mb/s sent, {lost_percent:.1f} % lost{delay}"
