# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Captures of a network's links for Wireshark: a pcap file for each link, with both directions, on any target.

The kernel stamps and keeps the packets; a thread writes them a few times a second, so that it takes little of the time
of what it watches. The first bytes of each packet are kept: all headers, and what an ICMP message quotes.
"""

import errno
import logging
import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import LoadedPlan
from quench_topologies.network import RunningNetwork
from quench_topologies.plan import LinkPlan, NetworkPlan

LOGGER = logging.getLogger(__name__)
KEPT_BYTES = 256
"""The number of bytes that are kept of each packet."""
MAX_FILE_BYTES = 1 << 30
INTERVAL_S = 0.05
BATCH_PKTS = 10_000
"""The number of packets that are written for one link before the next one's turn."""
BUFFER_BYTES = 16 << 20
"""The kernel's buffer for each link: a second of full packets at 30 Mb/s, with what the kernel adds to each."""
_ETH_P_ALL = 3
_SOL_PACKET, _PACKET_STATISTICS = 263, 6
_SO_RCVBUFFORCE, _SO_TIMESTAMPNS = 33, 35
_TIMESPEC = struct.Struct("@ll")
# The pcap format with nanoseconds, version 2.4, link type Ethernet (draft-ietf-opsawg-pcap).
_FILE_HEADER = struct.pack("=IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, KEPT_BYTES, 1)
_RECORD = struct.Struct("=IIII")


class LinkCapture:
    """Writes what crosses an interface of this namespace, in either direction. Raises OSError."""

    def __init__(self, interface: str, path: Path) -> None:
        self.path = path
        self._written_bytes = 0
        self._packet = bytearray(KEPT_BYTES)
        with ExitStack() as stack:
            # Without a buffer of Python's, which would meet a full disk again when it is closed.
            self._file = stack.enter_context(path.open("wb", buffering=0))
            self._write_out(_FILE_HEADER)
            # Protocol 0: deaf until bind() names the protocol.
            self._socket: socket.socket | None = stack.enter_context(
                socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            )
            self._socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, BUFFER_BYTES)
            self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
            self._socket.setblocking(False)
            self._socket.bind((interface, _ETH_P_ALL))
            stack.pop_all()

    def write(self) -> bool:
        """Write packets that wait; true when there may be more."""
        if self._socket is None:
            return False
        batch = bytearray()
        more = True
        try:
            for _ in range(BATCH_PKTS):
                if not (record := self._next_record(self._socket)):
                    more = False
                    break
                batch += record
            self._write_out(batch)
        except OSError as error:
            self._end(f"the capture ends here: {error.strerror or error}")
        else:
            if self._written_bytes > MAX_FILE_BYTES:
                self._end(f"the capture ends here: it has {MAX_FILE_BYTES >> 20} MiB")
        return more and self._socket is not None

    def close(self) -> None:
        """Write the rest and end."""
        self.write()
        if self._socket is not None:
            _, lost_pkts = struct.unpack("=II", self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
            self._end(f"{lost_pkts} packets are missing: the machine was too busy" if lost_pkts else None)

    def _next_record(self, source: socket.socket) -> bytes:
        """The next packet that waits, as a record; empty where none does."""
        try:
            length, ancillary, _, _ = source.recvmsg_into(
                [self._packet], socket.CMSG_SPACE(_TIMESPEC.size), socket.MSG_TRUNC
            )
        except BlockingIOError:
            return b""
        except OSError as error:
            # Said once when the interface goes down; packets come again when it is up.
            if error.errno != errno.ENETDOWN:
                raise
            return b""
        seconds, nanoseconds = _TIMESPEC.unpack(_stamp(ancillary))
        kept = min(length, KEPT_BYTES)
        return _RECORD.pack(seconds, nanoseconds, kept, length) + bytes(self._packet[:kept])

    def _write_out(self, data: bytes | bytearray) -> None:
        left = memoryview(data)
        while left:
            written = self._file.write(left)
            self._written_bytes += written
            left = left[written:]

    def _end(self, why: str | None) -> None:
        assert self._socket is not None
        if why is not None:
            LOGGER.error("%s: %s", self.path, why)
        self._socket.close()
        self._socket = None
        self._file.close()


def _stamp(ancillary: list[Any]) -> bytes:
    stamps = (data for level, kind, data in ancillary if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS))
    return bytes(next(stamps))


def capture_names(plan: NetworkPlan) -> dict[LinkPlan, str]:
    """The file of each link: its ends, and a number where names would be the same."""
    names: dict[LinkPlan, str] = {}
    for link in plan.links:
        ends = f"{link.a.node}-{link.b.node}"
        name, number = f"{ends}.pcap", 1
        while name in names.values():
            number += 1
            name = f"{ends}-{number}.pcap"
        names[link] = name
    return names


def describe_captures(loaded: LoadedPlan) -> list[str]:
    """Lines that name the files with marks, and those with source quenches."""
    names = capture_names(loaded.plan)

    def of(nodes: Sequence[str]) -> list[str]:
        return [name for link, name in names.items() if {link.a.node, link.b.node} & set(nodes)]

    senders = [sender for place in loaded.places for sender, _ in place.pairs]
    congested = [
        name
        for link, name in names.items()
        if any(
            (queue.switch, queue.port) in ((end.node, end.port) for end in (link.a, link.b))
            for queue in loaded.bottlenecks
        )
    ]
    return [
        "marks (ip.dsfield.ecn == 3 and not icmp; 1 for MECN's first level): "
        f"from {_few(congested)} on, towards the receivers",
        f"source quenches (icmp.type == 4): between the switch that marks and the senders, so in {_few(of(senders))}",
    ]


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


@contextmanager
def captured_links(network: RunningNetwork, folder: Path) -> Iterator[None]:
    """Capture all links of a network into a folder while the block runs. Raises TopologyError."""
    captures: list[LinkCapture] = []
    stopping = threading.Event()

    def write() -> None:
        while not stopping.wait(INTERVAL_S):
            more = True
            while more and not stopping.is_set():
                more = sum(each.write() for each in captures) > 0

    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for link, name in capture_names(network.plan).items():
                end = link.b if network.plan.is_host(link.a.node) else link.a
                captures.append(LinkCapture(network.switches[end.node].interfaces()[end.port], folder / name))
                stack.callback(captures[-1].close)
        except OSError as error:
            raise TopologyError(f"--pcap {folder}: {error.strerror or error}") from error
        thread = threading.Thread(target=write, name="captures", daemon=True)
        thread.start()
        stack.callback(thread.join)
        stack.callback(stopping.set)
        yield
