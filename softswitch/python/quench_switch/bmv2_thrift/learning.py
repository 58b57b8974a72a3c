# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Digests as BMv2 publishes them: lists of samples, of which each is sent once until it is acknowledged."""

from __future__ import annotations

import logging
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from quench_switch.p4runtime.limits import DIGEST_KNOWN_BYTES, DIGEST_LIST_BYTES, MESSAGE_OVERHEAD_BYTES

from .publisher import Publisher, parse_address

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch
    from quench_switch.p4runtime.device import Device

_log = logging.getLogger(__name__)

HEADER: Final = struct.Struct("<4sQiiQI")
"""``LEA|``, device, context, list, buffer, number of samples: BMv2's ``LearnEngineIface::msg_hdr_t``."""
TIMEOUT_NS: Final = 1_000_000_000
"""BMv2's: the longest time that a sample waits for others."""


def _size_bytes(sample: bytes) -> int:
    return MESSAGE_OVERHEAD_BYTES + len(sample)


@dataclass(slots=True)
class _List:
    """The samples of one digest that wait, and those that were sent and not acknowledged."""

    widths_bytes: list[int]
    most_samples: int = 1
    timeout_ns: int = TIMEOUT_NS
    buffer: list[bytes] = field(default_factory=list)
    buffer_bytes: int = 0
    first_ns: int = 0
    buffer_id: int = 0
    sent: dict[int, dict[int, bytes]] = field(default_factory=dict)
    """The samples that were sent, by buffer, then by place."""
    known: set[bytes] = field(default_factory=set)
    known_bytes: int = 0
    is_full: bool = False
    """Whether samples were dropped since the last one was acknowledged."""

    def forget(self, samples: dict[int, bytes]) -> None:
        """They are new if they come again."""
        self.is_full = self.is_full and not samples
        self.known.difference_update(samples.values())
        self.known_bytes -= sum(map(_size_bytes, samples.values()))


class Learning:
    """The lists of the running program. Samples come on one thread, settings and acknowledgements on others."""

    def __init__(
        self, device: Device, switch: RealtimeSwitch, device_id: int, publish: Callable[[bytes], None]
    ) -> None:
        self._device = device
        self._switch = switch
        self._device_id = device_id
        self._publish = publish
        self._lock = threading.Lock()
        self._loaded: object = None
        self._lists: dict[int, _List] = {}
        self.dropped = 0
        """Samples for which there was no room: nobody acknowledges, or too slowly."""

    def _refresh(self) -> None:
        """Begin anew with a new program."""
        running = self._device.running
        if running is self._loaded:
            return
        self._loaded = running
        program = (self._switch.program() if running is not None else None) or {}
        self._lists = {
            digest["id"]: _List([(part["bits"] + 7) // 8 for part in digest["fields"]])
            for digest in program.get("digests", ())
        }

    def learn(self, lists: Sequence[tuple[int, list[list[bytes]], int]]) -> None:
        """Take what the data plane learned, and publish the buffers that are full."""
        with self._lock:
            self._refresh()
            for number, messages, _ in lists:
                for message in messages:
                    self._add(number, message)

    def _add(self, number: int, message: list[bytes]) -> None:
        digest = self._lists.get(number)
        if digest is None or len(message) != len(digest.widths_bytes):
            # The message is of a program that was replaced meanwhile.
            return
        parts = zip(message, digest.widths_bytes, strict=True)
        sample = b"".join(part[-width:].rjust(width, b"\0") for part, width in parts)
        if sample in digest.known:
            return
        if digest.known_bytes + _size_bytes(sample) > DIGEST_KNOWN_BYTES:
            if not digest.is_full:
                # Not of each sample: packets that cause them would cause as many records.
                _log.warning("digests are dropped, as all will be until bm_learning_ack makes room: nobody takes them")
            digest.is_full = True
            self.dropped += 1
            return
        if not digest.buffer:
            digest.first_ns = time.monotonic_ns()
        digest.buffer.append(sample)
        digest.buffer_bytes += len(sample)
        digest.known.add(sample)
        digest.known_bytes += _size_bytes(sample)
        if len(digest.buffer) >= digest.most_samples or digest.buffer_bytes >= DIGEST_LIST_BYTES:
            self._flush(number, digest)

    def _flush(self, number: int, digest: _List) -> None:
        samples = digest.buffer
        digest.buffer, digest.buffer_bytes = [], 0
        digest.sent[digest.buffer_id] = dict(enumerate(samples))
        header = HEADER.pack(b"LEA|", self._device_id, 0, number, digest.buffer_id, len(samples))
        digest.buffer_id += 1
        self._publish(header + b"".join(samples))

    def send_due(self) -> None:
        """Publish what has waited long enough."""
        with self._lock:
            self._refresh()
            now_ns = time.monotonic_ns()
            for number, digest in self._lists.items():
                is_due = 0 < digest.timeout_ns <= now_ns - digest.first_ns
                if digest.buffer and (is_due or len(digest.buffer) >= digest.most_samples):
                    self._flush(number, digest)

    def _change(self, number: int, change: Callable[[_List], None]) -> bool:
        """Change a list; False where the program has none of this number."""
        with self._lock:
            self._refresh()
            digest = self._lists.get(number)
            if digest is not None:
                change(digest)
            return digest is not None

    def set_timeout(self, number: int, timeout_ms: int) -> bool:
        """The longest time that a sample waits for others; 0 for any time."""

        def change(digest: _List) -> None:
            digest.timeout_ns = timeout_ms * 1_000_000

        return self._change(number, change)

    def set_most_samples(self, number: int, samples: int) -> bool:
        """Set the number of samples that are sent together."""

        def change(digest: _List) -> None:
            digest.most_samples = samples

        return self._change(number, change)

    def acknowledge(self, number: int, buffer_id: int, places: Sequence[int] | None = None) -> bool:
        """Forget samples of a buffer, all if no places are given. One that is not known was acknowledged before."""

        def change(digest: _List) -> None:
            samples = digest.sent.get(buffer_id, {})
            chosen = set(samples) if places is None else samples.keys() & set(places)
            digest.forget({place: samples.pop(place) for place in chosen})
            if not samples:
                digest.sent.pop(buffer_id, None)

        return self._change(number, change)


class Notifications:
    """Digests, and the address where they are published on the event loop."""

    def __init__(self, address: str, device: Device, switch: RealtimeSwitch, device_id: int) -> None:
        """Raises ValueError for a text that is no address."""
        self.address = parse_address(address)
        self.publisher = Publisher(self.address)
        self.learning = Learning(device, switch, device_id, self.publisher.send)
