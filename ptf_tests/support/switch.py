# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The switch under test as tests see it, whether it runs in real or in virtual time."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import finsy as fy

from support.targets import Ports


class Switch(Protocol):
    """A switch with a program, its packets and its clock. Times are seconds of that clock."""

    @property
    def schema(self) -> fy.P4Schema:
        """The program's names and ids."""

    @property
    def ports(self) -> Ports:
        """The settings of the ports."""

    def write(self, updates: Iterable[Any]) -> None:
        """Write ``+entry``, ``~entry`` and ``-entry``."""

    def read(self, entity: Any) -> Iterator[Any]:
        """Read the entities that match."""

    def packet_out(self, payload: bytes, **metadata: int) -> None:
        """Send a packet from the CPU port."""

    def packet_in(self, timeout_s: float) -> fy.P4PacketIn | None:
        """The next packet that has left by the CPU port, or None where none leaves in this time."""

    def send(self, port: int, frame: bytes) -> None:
        """Let a packet arrive at a port."""

    def receive(self, port: int, timeout_s: float) -> bytes | None:
        """The next packet that has left by a port, or None where none leaves in this time."""

    def flush(self) -> None:
        """Forget packets that have left, but for those of the CPU port."""

    def now_s(self) -> float:
        """The time since some moment in the past."""

    def sleep(self, seconds: float) -> None:
        """Let time pass."""

    def close(self) -> None:
        """End the connection."""
