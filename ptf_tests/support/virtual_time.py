# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The embedded switch's data plane in the test's own process and under its clock: a seed fixes all that happens."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import finsy as fy
from finsy.proto import p4r
from quench.client.schema import read_schema
from quench_switch import VirtualSwitch
from quench_switch.p4runtime.entities import Entities
from quench_switch.p4runtime.packet_io import decode_packet_in, encode_packet_out
from quench_switch.p4runtime.pipeline import Pipeline
from quench_switch.p4runtime.verify import verify

from support.programs import Program
from support.targets import QUEUES, EmbeddedPorts

if TYPE_CHECKING:
    from quench_switch._native import PortOptions

PACKET_INTERVAL_NS = 1_000_000
"""Between packets that a test sends: about as much as PTF needs in real time."""
START_NS = 60_000_000_000
"""The clock when a test begins: longer than states count, for what never happened has the time 0."""


class VirtualTimeSwitch:
    """Time passes while packets are sent and awaited, and by ``sleep``; reading and writing take none."""

    def __init__(self, program: Program, p4info: Path, json: Path, seed: int) -> None:
        self.schema, self._pipeline = _load(p4info, json, program.pipeline.cpu_port)
        self._switch = VirtualSwitch(
            cpu_port=program.pipeline.cpu_port, seed=seed, priority_queues=QUEUES, slowdown=program.slowdown
        )
        self._switch.load(self._pipeline.program)
        self._entities = Entities(self._pipeline, self._switch)
        self.ports = EmbeddedPorts(self._set_port)
        self._cpu_port = program.pipeline.cpu_port
        self._now_ns = START_NS
        self._left: dict[int, deque[bytes]] = defaultdict(deque)

    def write(self, updates: Iterable[Any]) -> None:
        """Write ``+entry``, ``~entry`` and ``-entry``, all at one moment. Raises RequestError."""
        refusal = self._entities.write_together([update.encode_update(self.schema) for update in updates])
        if refusal is not None:
            raise refusal[1]

    def read(self, entity: Any) -> Iterator[Any]:
        """Read the entities that match."""
        for message in self._entities.read([entity.encode(self.schema)]):
            if message is not None:
                yield type(entity).decode(message, self.schema)

    def packet_out(self, payload: bytes, **metadata: int) -> None:
        """Send a packet from the CPU port."""
        message = fy.P4PacketOut(payload, **metadata).encode_update(self.schema)
        self.send(self._cpu_port, encode_packet_out(self._pipeline.packet_out, message.packet))

    def packet_in(self, timeout_s: float) -> fy.P4PacketIn | None:
        """The next packet that has left by the CPU port, or None where none leaves in this time."""
        frame = self.receive(self._cpu_port, timeout_s)
        if frame is None:
            return None
        packet = decode_packet_in(self._pipeline.packet_in, frame)
        return fy.P4PacketIn.decode(p4r.StreamMessageResponse(packet=packet), self.schema)

    def send(self, port: int, frame: bytes) -> None:
        """Let a packet arrive at a port, and the time until the next one pass."""
        self._switch.receive(port, frame, self._now_ns)
        self._advance(self._now_ns + PACKET_INTERVAL_NS)

    def receive(self, port: int, timeout_s: float) -> bytes | None:
        """The next packet that has left by a port, or None where none leaves in this time.

        No time passes where nothing more can happen.
        """
        left = self._left[port]
        until_ns = self._now_ns + round(timeout_s * 1e9)
        self._advance(self._now_ns)
        while not left:
            due_ns = self._switch.next_event_ns()
            if due_ns is None:
                return None
            self._advance(min(due_ns, until_ns))
            if due_ns > until_ns:
                return None
        return left.popleft()

    def flush(self) -> None:
        """Forget packets that have left, but for those of the CPU port."""
        for port, left in self._left.items():
            if port != self._cpu_port:
                left.clear()

    def now_s(self) -> float:
        """The clock of the switch."""
        return self._now_ns * 1e-9

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self._advance(self._now_ns + round(seconds * 1e9))

    def close(self) -> None:
        """Nothing to do."""

    def _set_port(self, port: int, **options: "Unpack[PortOptions]") -> None:
        self._switch.port_set(port, options)

    def _advance(self, now_ns: int) -> None:
        self._now_ns = max(now_ns, self._now_ns)
        for port, frame, _ in self._switch.advance(self._now_ns):
            self._left[port].append(frame)


@lru_cache(maxsize=1)
def _load(p4info: Path, json: Path, cpu_port: int) -> tuple[fy.P4Schema, Pipeline]:
    """A program takes longer to compile than most tests to run."""
    schema = read_schema(p4info.read_bytes(), json.read_bytes())
    return schema, verify(schema.get_pipeline_config(), cpu_port)
