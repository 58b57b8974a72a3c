# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Sends a paced flow that obeys ICMP source quenches."""

import errno
import logging
import math
import secrets
import select
import socket
import struct
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Final, Self

from quench.isq.message import ICMP_SOURCE_QUENCH
from quench.udp.aimd import FLOOR_BPS, INTERVAL_S, Aimd, AimdSettings
from quench.udp.quenches import PRIVATE_NETWORKS, Quench, QuenchChecker, RefusedError, SentPackets
from quench.udp.schedule import OnOff, Schedule
from quench.udp.sockets import UdpError, Waker, receive_buffer
from quench.udp.wire import LEAST_PACKET_BYTES, MOST_PACKET_BYTES, Endpoints, PacketMaker

_log = logging.getLogger(__name__)

ECT0: Final = 0b10
RATE_BPS: Final = 1_000_000.0
PACKET_BYTES: Final = 1000
VOICE_PACKET_BYTES: Final = 200
"""G.711: 160 bytes of voice in 20 ms, behind the headers of IP, UDP and RTP."""
VOICE_RATE_BPS: Final = 80_000
"""Rate during talk: a packet every 20 ms."""

# Linux: linux/icmp.h.
_SOL_RAW: Final = 255
_ICMP_FILTER: Final = 1
_BUFFER_BYTES: Final = 1 << 20
_MAX_QUENCHES_PER_TURN: Final = 64
"""A flood of source quenches must not keep packets from being sent."""


@dataclass(frozen=True, slots=True)
class SenderSettings:
    """The settings of a flow's sender.

    Rates and lengths are of IP packets. Raises ValueError for settings that make no sense.
    """

    rate_bps: float = RATE_BPS
    """The rate at the start."""
    packet_bytes: int = PACKET_BYTES
    dscp: int = 0
    ect: bool = False
    """Whether packets are marked (ECT(0)) rather than dropped."""
    obey: bool = True
    """Whether source quenches lower the rate; they are checked and counted in any case."""
    aimd: AimdSettings | None = None
    """None: ``rate_bps`` is the ceiling, and the increase is a packet an interval."""
    on_off: OnOff | None = None
    isq_from: tuple[IPv4Network, ...] = PRIVATE_NETWORKS
    """The routers whose source quenches are accepted."""
    quotable_s: float = 2.0
    """Seconds after its sending in which a packet may be quoted in a source quench."""

    def __post_init__(self) -> None:
        if not LEAST_PACKET_BYTES <= self.packet_bytes <= MOST_PACKET_BYTES:
            raise ValueError(f"{self.packet_bytes} bytes: a packet has {LEAST_PACKET_BYTES} to {MOST_PACKET_BYTES}")
        if not 0 <= self.dscp <= 63:
            raise ValueError(f"DSCP {self.dscp} does not lie between 0 and 63")
        if self.rate_bps <= 0:
            raise ValueError(f"rate {self.rate_bps:g} bit/s is not above 0")
        if self.quotable_s <= 0:
            raise ValueError(f"{self.quotable_s:g} s is no time in which a packet can be quoted")

    def reaction(self) -> AimdSettings:
        """The parameters by which the rate changes."""
        if self.aimd is not None:
            return self.aimd
        return AimdSettings(
            ceiling_bps=self.rate_bps,
            floor_bps=min(FLOOR_BPS, self.rate_bps),
            increase_bps=8 * self.packet_bytes / INTERVAL_S,
        )


@dataclass(frozen=True, slots=True)
class SenderReport:
    """The report of a sender. Packets and bits are those of IP packets."""

    destination: str
    flow: str
    """The number that was drawn for the flow, in hexadecimal."""
    seconds: float
    sent_pkts: int
    sent_bps: float
    """Mean over ``seconds``."""
    rate_bps: float
    """The rate now."""
    lowest_bps: float
    decreases: int
    quenches: Mapping[str, int]
    """Accepted source quenches, by ``marked`` and ``dropped``."""
    refused: Mapping[str, int]
    """Rejected source quenches, by reason."""


class Sender:
    """One flow. It needs root (CAP_NET_RAW): it writes IP headers itself and receives ICMP. Raises UdpError."""

    def __init__(self, address: str, port: int, settings: SenderSettings | None = None) -> None:
        self.settings = settings or SenderSettings()
        self._sockets: list[socket.socket] = []
        self._waker = Waker()
        try:
            self._open(address, port)
        except PermissionError as error:
            self.close()
            raise UdpError("raw sockets are not permitted: run as root or with CAP_NET_RAW") from error
        except OSError as error:
            self.close()
            raise UdpError(f"cannot send to {address}:{port}: {error.strerror or error}") from error
        self._destination = f"{self._endpoints.destination}:{port}"
        self._flow = secrets.randbits(64)
        tos = self.settings.dscp << 2 | (ECT0 if self.settings.ect else 0)
        self._maker = PacketMaker(self._endpoints, self.settings.packet_bytes, tos, self._flow)
        self._recent = SentPackets(self.settings.quotable_s)
        self._checker = QuenchChecker(self._endpoints, self._maker.udp_bytes, self._recent, self.settings.isq_from)
        self._aimd = Aimd(self.settings.reaction(), time.monotonic())
        self._sent_pkts = 0
        self._began_s: float | None = None
        self._ended_s: float | None = None
        self._quenches: Counter[str] = Counter({"marked": 0, "dropped": 0})
        self._refused: Counter[str] = Counter()

    def _open(self, address: str, port: int) -> None:
        def opened(kind: socket.SocketKind, protocol: int) -> socket.socket:
            self._sockets.append(socket.socket(socket.AF_INET, kind, protocol))
            return self._sockets[-1]

        # Keeps the port for this flow, and knows by which address packets leave.
        self._udp = opened(socket.SOCK_DGRAM, socket.IPPROTO_UDP)
        self._udp.connect((address, port))
        source, source_port = self._udp.getsockname()
        destination = self._udp.getpeername()[0]
        self._endpoints = Endpoints(IPv4Address(source), source_port, IPv4Address(destination), port)
        self._raw = opened(socket.SOCK_RAW, socket.IPPROTO_RAW)
        self._raw.connect((destination, 0))
        self._icmp = opened(socket.SOCK_RAW, socket.IPPROTO_ICMP)
        all_but_quenches = ~(1 << ICMP_SOURCE_QUENCH) & 0xFFFFFFFF
        self._icmp.setsockopt(_SOL_RAW, _ICMP_FILTER, struct.pack("@I", all_but_quenches))
        receive_buffer(self._icmp, _BUFFER_BYTES)
        self._icmp.bind((source, 0))
        self._icmp.setblocking(False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def endpoints(self) -> Endpoints:
        """The flow's addresses and ports."""
        return self._endpoints

    @property
    def rate_bps(self) -> float:
        """The rate now."""
        return self._aimd.rate_bps

    def close(self) -> None:
        """Give ports and sockets back."""
        for opened in self._sockets:
            opened.close()
        self._waker.close()

    def stop(self) -> None:
        """End ``run``, from any thread or signal handler."""
        self._waker.wake()

    def run(self, seconds: float | None = None) -> SenderReport:
        """Send for so long, or until ``stop``. Raises UdpError."""
        start_s = now_s = time.monotonic()
        self._began_s, self._ended_s = start_s, None
        self._aimd = Aimd(self.settings.reaction(), start_s)
        schedule = Schedule(start_s, self.settings.on_off)
        end_s = math.inf if seconds is None else start_s + seconds
        bits = 8 * self.settings.packet_bytes
        watched: list[socket.socket | Waker] = [self._icmp, self._waker]
        while now_s < end_s:
            rate_bps = self._aimd.advance(now_s)
            due_s = schedule.due_s(bits / rate_bps)
            wait_s = 0.0
            if due_s <= now_s:
                self._send(now_s)
                schedule.sent(now_s, due_s)
            else:
                # A rate that grows meanwhile makes the packet due earlier.
                wait_s = min(due_s, end_s, now_s + self._aimd.settings.interval_s) - now_s
            readable, _, _ = select.select(watched, [], [], wait_s)
            now_s = time.monotonic()
            if self._icmp in readable:
                self._receive_quenches(now_s)
            if self._waker in readable:
                break
        self._ended_s = now_s
        if self._udp.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNREFUSED:
            _log.warning("no program receives on %s: start `quench receive-udp` there", self._destination)
        return self.report()

    def report(self) -> SenderReport:
        """The report up to now."""
        seconds = 0.0
        if self._began_s is not None:
            seconds = (self._ended_s or time.monotonic()) - self._began_s
        return SenderReport(
            destination=self._destination,
            flow=f"{self._flow:016x}",
            seconds=seconds,
            sent_pkts=self._sent_pkts,
            sent_bps=8 * self.settings.packet_bytes * self._sent_pkts / seconds if seconds > 0 else 0.0,
            rate_bps=self._aimd.rate_bps,
            lowest_bps=self._aimd.lowest_bps,
            decreases=self._aimd.decreases,
            quenches=dict(self._quenches),
            refused=dict(self._refused),
        )

    def _send(self, now_s: float) -> None:
        # The kernel replaces an identification of 0.
        identification = 1 + secrets.randbelow(0xFFFF)
        packet, checksum = self._maker.make(self._sent_pkts, time.time_ns(), identification, secrets.randbits(16))
        try:
            self._raw.send(packet)
        except OSError as error:
            if error.errno == errno.EMSGSIZE:
                message = f"a packet of {len(packet)} bytes is longer than the path to {self._destination} allows"
                raise UdpError(message) from error
            if error.errno != errno.ENOBUFS:  # a full queue of the interface is the network's loss, not an error
                raise UdpError(f"cannot send to {self._destination}: {error.strerror}") from error
        self._recent.add(now_s, identification, checksum)
        self._sent_pkts += 1

    def _receive_quenches(self, now_s: float) -> None:
        for _ in range(_MAX_QUENCHES_PER_TURN):
            try:
                packet = self._icmp.recv(65_535)
            except BlockingIOError:
                return
            try:
                self._obey(self._checker.check(packet, now_s), now_s)
            except RefusedError as error:
                self._refused[error.reason.value] += 1

    def _obey(self, quench: Quench, now_s: float) -> None:
        self._quenches["marked" if quench.marked else "dropped"] += 1
        if self.settings.obey:
            self._aimd.quenched(now_s, marked=quench.marked, level=quench.level)
