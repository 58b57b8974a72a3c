# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The interface to a test by which a program brings a queue into a state: packets to send, and entries to write."""

from typing import Any, Protocol

from scapy.packet import Packet

from support.switch import Switch


class Bench(Protocol):
    """A test whose switch is connected. ``base.QuenchTest`` is one, and says what each method does."""

    switch: Switch
    queue_port: int
    packet_bytes: int

    def set_profile(self, **settings: Any) -> None: ...

    def plain(self, size: int = ...) -> Packet: ...

    def send(self, packet: Packet, count: int = 1) -> None: ...

    def seen(self) -> int: ...

    def settle(self, seen_pkts: int) -> None: ...

    def collect(self, at_most: int, *, timeout_s: float = ...) -> list[Packet]: ...

    def assertEqual(self, first: Any, second: Any, msg: Any = ...) -> None: ...
