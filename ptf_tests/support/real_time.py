# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A switch in a process of its own: packets by PTF, all else by P4Runtime."""

import queue
import time
from pathlib import Path

import finsy as fy
import ptf
from quench.targets import Target

from support.client import P4RuntimeClient
from support.targets import DEVICE_ID, ports_of


class RealTimeSwitch(P4RuntimeClient):
    """Has the pipeline loaded anew, and no packets that left before."""

    def __init__(self, target: Target, address: str, ports_address: str, p4info: Path, json: Path) -> None:
        super().__init__(address, DEVICE_ID, p4info, json)
        # Only the primary may set them.
        self.ports = ports_of(target, ports_address)
        self._dataplane = ptf.dataplane_instance
        self.flush()

    def packet_in(self, timeout_s: float) -> fy.P4PacketIn | None:
        """The next packet that has left by the CPU port, or None where none leaves in this time."""
        try:
            return self.packet_ins.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def send(self, port: int, frame: bytes) -> None:
        """Let a packet arrive at a port."""
        self._dataplane.send(0, port, frame)

    def receive(self, port: int, timeout_s: float) -> bytes | None:
        """The next packet that has left by a port, or None where none leaves in this time."""
        result = self._dataplane.poll(device_number=0, port_number=port, timeout=timeout_s)
        return bytes(result.packet) if isinstance(result, self._dataplane.PollSuccess) else None

    def flush(self) -> None:
        """Forget packets that have left, but for those of the CPU port."""
        self._dataplane.flush()

    def now_s(self) -> float:
        """The monotonic clock, which is also that of the embedded switch."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)
