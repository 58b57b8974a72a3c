# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The peer at the other end of a connection, and the number of connections that each peer may have."""

from __future__ import annotations

import socket
import struct
from collections import Counter
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

_NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_HEADER: Final = struct.Struct("=IHHII")
_REQUEST: Final = struct.Struct("=BBBxI")
"""The layout of ``struct inet_diag_req_v2``: family, protocol, extensions and states; the connection comes behind
it."""
_PORTS: Final = struct.Struct("!HH")
_INTERFACE_AND_COOKIE: Final = struct.Struct("=IQ")
_LOOPBACK_INTERFACE: Final = 1
"""Its index in each namespace. A connection between two sockets of one namespace goes through it."""
_ANY_COOKIE: Final = (1 << 64) - 1
_ALL_STATES: Final = (1 << 32) - 1
_MESSAGE: Final = struct.Struct("=BBBB4s16s16s12xIIIII")
"""``struct inet_diag_msg``: family, state, timer, retransmissions, ports, source, destination, interface and cookie
(left out), expiry, receive queue, send queue, user and inode."""
_BUFFER_BYTES: Final = 8192
_CREDENTIALS: Final = struct.Struct("=iII")
"""The layout of SO_PEERCRED: process, user, group."""
_ALL_IDS: Final = (1 << 32) - 1
_SO_NETNS_COOKIE: Final = 71
"""The option of a socket that tells its network namespace (since Linux 5.14)."""
_SITE_BITS: Final = 64
"""The length in bits of the prefix of an IPv6 site: one machine has all addresses that begin with it."""
_Address = IPv4Address | IPv6Address
_Connection = TypeVar("_Connection")


class _End(NamedTuple):
    address: _Address
    port: int


def peer_user(connection: socket.socket) -> int | None:
    """The user id that owns the other end of a TCP connection within this network namespace, or of a Unix socket.

    None if either end is not a socket of the namespace of the calling thread, or the other end is closed already, or
    the kernel cannot be asked, or the user has no id in this process's user namespace.
    """
    if connection.family == socket.AF_UNIX:
        return _unix_user(connection)
    try:
        here, there = _end(connection.getsockname()), _end(connection.getpeername())
        answer = _ask_kernel(connection, there, here)
        # Raises where the other end was reset meanwhile, and its port is another socket's.
        connection.getpeername()
        nobody = _overflow_id()
    except OSError:
        return None
    if len(answer) < _HEADER.size + _MESSAGE.size:
        return None
    _, kind, *_ = _HEADER.unpack_from(answer)
    if kind != _SOCK_DIAG_BY_FAMILY:
        return None
    family, _, _, _, ports, source, destination, _, _, _, user, inode = _MESSAGE.unpack_from(answer, _HEADER.size)
    # The kernel falls back to a socket that listens at the port, which is not the peer. A socket that no process has
    # any more has no inode, and its user may read as 0.
    found = (_address(family, source), _address(family, destination), ports)
    if not inode or found != (there.address, here.address, _PORTS.pack(there.port, here.port)):
        return None
    return None if user == nobody else int(user)


def _unix_user(connection: socket.socket) -> int | None:
    try:
        _, user, _ = _CREDENTIALS.unpack(
            connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
        return None if user == _overflow_id() else int(user)
    except OSError:
        return None


@cache
def _overflow_id() -> int | None:
    """The id that stands for all users without one in this process's user namespace; None where each has one."""
    if Path("/proc/self/uid_map").read_text().split() == ["0", "0", str(_ALL_IDS)]:
        return None
    return int(Path("/proc/sys/kernel/overflowuid").read_text())


def peer_name(connection: socket.socket) -> str:
    """The peer that a quota counts a connection for: a user of this machine, an IPv4 address, an IPv6 /64 network.

    A user can choose among all addresses of loopback, so these are one where the user is not known.
    """
    user = peer_user(connection)
    if user is not None:
        return f"user {user}"
    if connection.family == socket.AF_UNIX:
        return "a user of another namespace"
    try:
        address = _end(connection.getpeername()).address
    except OSError:
        return "a peer that is gone"
    if address.is_loopback:
        return "loopback"
    return str(address) if address.version == 4 else str(IPv6Network((int(address), _SITE_BITS), strict=False))


@dataclass(slots=True)
class _Counted:
    peer: str
    waits: bool = True
    trusted: bool = False


class Quota(Generic[_Connection]):
    """A limit of ``most`` connections, and of ``most_of_peer`` of each peer.

    As many trusted ones have room beside them. A connection waits until it has sent a whole request, and between two
    requests. Where there is no room, one that waits is closed in favour of a new one: one of the same peer where that
    has its most, otherwise one of the peer with most connections, the oldest first. Where none waits, a peer with more
    connections than the new one's would have loses its oldest. The caller closes connections. Not safe for threads.
    """

    def __init__(self, most: int, most_of_peer: int) -> None:
        self._most = most
        self._most_of_peer = most_of_peer
        self._counted: dict[_Connection, _Counted] = {}

    def admit(self, connection: _Connection, peer: str) -> _Connection | None:
        """The connection to close: None, another one, which counts no more, or this one, for which there is no room."""
        rivals = {one: each for one, each in self._counted.items() if not each.trusted}
        counts = Counter(each.peer for each in rivals.values())
        if counts[peer] >= self._most_of_peer:
            rivals = {one: each for one, each in rivals.items() if each.peer == peer}
        elif len(rivals) < self._most:
            self._counted[connection] = _Counted(peer)
            return None
        closable = [one for one, each in rivals.items() if each.waits] or [
            one for one, each in rivals.items() if counts[each.peer] > counts[peer] + 1
        ]
        if not closable:
            return connection
        # The oldest of those whose peer has most.
        closed = max(closable, key=lambda one: counts[rivals[one].peer])
        del self._counted[closed]
        self._counted[connection] = _Counted(peer)
        return closed

    def waits(self, connection: _Connection) -> bool:
        """The connection waits for a request. Whether it did not before."""
        counted = self._counted.get(connection)
        if counted is None or counted.waits:
            return False
        counted.waits = True
        return True

    def works(self, connection: _Connection) -> None:
        """The connection has sent a whole request, which is answered now."""
        if connection in self._counted:
            self._counted[connection].waits = False

    def trust(self, connection: _Connection) -> None:
        """The connection has shown who it is: it counts no more among the others, and is not closed for them."""
        if connection in self._counted and sum(each.trusted for each in self._counted.values()) < self._most:
            self._counted[connection].trusted = True

    def remove(self, connection: _Connection) -> None:
        """The connection is closed."""
        self._counted.pop(connection, None)


def _ask_kernel(connection: socket.socket, source: _End, destination: _End) -> bytes:
    family = socket.AF_INET if source.address.version == 4 else socket.AF_INET6
    request = (
        _REQUEST.pack(family, socket.IPPROTO_TCP, 0, _ALL_STATES)
        + _PORTS.pack(source.port, destination.port)
        + source.address.packed.ljust(16, b"\0")
        + destination.address.packed.ljust(16, b"\0")
        + _INTERFACE_AND_COOKIE.pack(_LOOPBACK_INTERFACE, _ANY_COOKIE)
    )
    header = _HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_SOCK_DIAG) as kernel:
        # Another namespace may have a connection between the same addresses and ports.
        if _namespace(kernel) != _namespace(connection):
            return b""
        kernel.connect((0, 0))
        kernel.send(header + request)
        # The kernel has answered by now: nothing waits here.
        return kernel.recv(_BUFFER_BYTES, socket.MSG_DONTWAIT)


def _namespace(of: socket.socket) -> bytes:
    return of.getsockopt(socket.SOL_SOCKET, _SO_NETNS_COOKIE, 8)


def _end(name: tuple[str, int] | tuple[str, int, int, int]) -> _End:
    return _End(_unmapped(ip_address(name[0].partition("%")[0])), name[1])


def _address(family: int, field: bytes) -> _Address:
    return _unmapped(ip_address(field[:4] if family == socket.AF_INET else field))


def _unmapped(address: _Address) -> _Address:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped
