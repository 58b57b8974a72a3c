# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The TCP connections of a network namespace, by the kernel's socket diagnosis (man 7 sock_diag)."""

import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address

from quench.feed.model import FlowSample

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_REQUEST_DUMP = 0x301
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_INET_DIAG_INFO = 2
_ESTABLISHED = 1 << 1
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI48x")
_MESSAGE = struct.Struct("=BBBB2s2s16s16s4sQ")
"""The layout of ``struct inet_diag_msg``: family, state, timer, retransmissions, ports, addresses, interface and
cookie."""
_MESSAGE_BYTES = 72
_ATTRIBUTE = struct.Struct("=HH")

# Fields of struct tcp_info (include/uapi/linux/tcp.h).
_RTT = struct.Struct("=I")
_RTT_OFFSET = 8 + 4 * 15
_SSTHRESH_CWND = struct.Struct("=II")
_SSTHRESH_CWND_OFFSET = 8 + 4 * 17
_TOTAL_RETRANS = struct.Struct("=I")
_TOTAL_RETRANS_OFFSET = 8 + 4 * 23
_ACKED_RECEIVED = struct.Struct("=QQ")
_ACKED_RECEIVED_OFFSET = 8 + 4 * 24 + 8 * 2
_INFO_BYTES = _ACKED_RECEIVED_OFFSET + _ACKED_RECEIVED.size
_NOT_SET = 0x7FFFFFFF
"""ssthresh before the first reaction."""
_BUFFER_BYTES = 1 << 16
_ANSWER_S = 2.0


@dataclass(slots=True)
class _Reactions:
    ssthresh: int
    count: int = 0


class TcpFlows:
    """The senders of one host, in the network namespace of the thread that makes this."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._reactions: dict[int, _Reactions] = {}
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_SOCK_DIAG)
        self._socket.settimeout(_ANSWER_S)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def read(self) -> list[FlowSample]:
        """Each connection that has sent more than it received, by the order of its ports. Raises OSError."""
        found = sorted(flow for family in (socket.AF_INET, socket.AF_INET6) for flow in self._flows(family))
        self._reactions = {cookie: self._reactions[cookie] for _, cookie, _ in found}
        return [self._sample(name, cookie, info) for name, cookie, info in found]

    def _flows(self, family: int) -> Iterator[tuple[str, int, bytes]]:
        """Name, cookie and ``tcp_info`` of each sender."""
        for message in self._dump(family):
            if len(message) < _MESSAGE_BYTES:
                continue
            _, _, _, _, source_port, port, _, address, _, cookie = _MESSAGE.unpack_from(message)
            info = _attribute(message[_MESSAGE_BYTES:], _INET_DIAG_INFO)
            if info is None or len(info) < _INFO_BYTES:
                continue
            acked, received = _ACKED_RECEIVED.unpack_from(info, _ACKED_RECEIVED_OFFSET)
            if acked <= received:
                continue
            ssthresh, _ = _SSTHRESH_CWND.unpack_from(info, _SSTHRESH_CWND_OFFSET)
            reactions = self._reactions.setdefault(cookie, _Reactions(ssthresh))
            if reactions.ssthresh != ssthresh:
                reactions.ssthresh = ssthresh
                reactions.count += 1
            size = 4 if family == socket.AF_INET else 16
            there = f"{ip_address(address[:size])}:{int.from_bytes(port)}"
            yield f"{self._host}:{int.from_bytes(source_port)} > {there}", cookie, info

    def _sample(self, name: str, cookie: int, info: bytes) -> FlowSample:
        ssthresh, cwnd = _SSTHRESH_CWND.unpack_from(info, _SSTHRESH_CWND_OFFSET)
        (srtt_us,) = _RTT.unpack_from(info, _RTT_OFFSET)
        (retransmitted,) = _TOTAL_RETRANS.unpack_from(info, _TOTAL_RETRANS_OFFSET)
        acked, _ = _ACKED_RECEIVED.unpack_from(info, _ACKED_RECEIVED_OFFSET)
        return {
            "flow": name,
            "host": self._host,
            "cwnd_pkts": cwnd,
            "ssthresh_pkts": None if ssthresh >= _NOT_SET else ssthresh,
            "srtt_ms": round(srtt_us / 1000, 3),
            "retransmitted_pkts": retransmitted,
            "reductions": self._reactions[cookie].count,
            "acked_bytes": acked,
        }

    def _dump(self, family: int) -> Iterator[bytes]:
        request = _REQUEST.pack(family, socket.IPPROTO_TCP, 1 << (_INET_DIAG_INFO - 1), _ESTABLISHED)
        header = _HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 0, 0)
        self._socket.send(header + request)
        while True:
            data = self._socket.recv(_BUFFER_BYTES)
            while data:
                length, kind, *_ = _HEADER.unpack_from(data)
                if kind == _NLMSG_DONE:
                    return
                if kind == _NLMSG_ERROR or not _HEADER.size <= length <= len(data):
                    raise OSError("the kernel does not list TCP connections: its module tcp_diag is missing")
                yield data[_HEADER.size : length]
                data = data[_aligned(length) :]


def _attribute(data: bytes, wanted: int) -> bytes | None:
    while len(data) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(data)
        if not _ATTRIBUTE.size <= length <= len(data):
            return None
        if kind == wanted:
            return data[_ATTRIBUTE.size : length]
        data = data[_aligned(length) :]
    return None


def _aligned(length: int) -> int:
    return length + 3 & ~3
