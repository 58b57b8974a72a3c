# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packets that came out against packets that were expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .statements import Expect


@dataclass(frozen=True, slots=True)
class Difference:
    """The reason why a test fails: the line of the expectation, and the difference."""

    line: int
    message: str


def compare_packet(expect: Expect, packet: bytes) -> str | None:
    """The difference between a packet and its expectation, None if there is none."""
    if expect.pattern is None:
        return None
    received = packet.hex().upper()
    wanted = expect.pattern
    if len(received) < len(wanted):
        problem = f"{len(received) // 2} bytes are too few, {(len(wanted) + 1) // 2} are expected"
    elif expect.exact_length and len(received) > len(wanted):
        problem = f"{len(received) // 2} bytes are too many, {len(wanted) // 2} are expected"
    else:
        problem = ""
    for place, (left, right) in enumerate(zip(wanted, received, strict=False)):
        if left not in ("*", right):
            problem = f"byte {place // 2} differs" + (f", and {problem}" if problem else "")
            break
    if not problem:
        return None
    marks = "".join(
        " " if left in ("*", right) else "^" for left, right in zip(wanted, received, strict=False)
    ).rstrip()
    lines = [problem, f"  expected {wanted}{'$' if expect.exact_length else ''}", f"  received {received}"]
    if marks:
        lines.append(f"           {marks}")
    return "\n".join(lines)


@dataclass(slots=True)
class PortTraffic:
    """Expected and received packets of one port, in order."""

    expected: list[tuple[int, Expect]] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list)
    any_packets: bool = False
    """Whether an ``expect`` without data stands for any packets from here on."""

    def expect(self, line: int, expect: Expect) -> None:
        """Expect one more packet."""
        self.expected.append((line, expect))
        self.any_packets = self.any_packets or expect.pattern is None

    def differences(self, port: int) -> Iterable[Difference]:
        """All differences between expected and received packets so far."""
        for place, (line, expect) in enumerate(self.expected):
            if place >= len(self.received):
                wanted = expect.pattern if expect.pattern is not None else "any packet"
                yield Difference(line, f"port {port}: expected {wanted}, nothing more came out")
                return
            if expect.pattern is None:
                return
            problem = compare_packet(expect, self.received[place])
            if problem is not None:
                yield Difference(line, f"port {port}: packet {place + 1}: {problem}")


def unexpected(port: int, traffic: PortTraffic, line: int) -> Difference | None:
    """The first packet beyond those expected."""
    if traffic.any_packets or len(traffic.received) <= len(traffic.expected):
        return None
    extra = traffic.received[len(traffic.expected)].hex().upper()
    place = len(traffic.expected) + 1
    return Difference(line, f"port {port}: packet {place} was not expected:\n  received {extra}")


def first_difference(
    ports: Mapping[int, PortTraffic], last_line: int, others: Iterable[Difference | None] = ()
) -> Difference | None:
    """The difference on the earliest line, of ``others`` too; None if all ports are as expected."""
    found: Sequence[Difference] = [
        difference for port, traffic in ports.items() for difference in traffic.differences(port)
    ]
    extras = [unexpected(port, traffic, last_line) for port, traffic in ports.items()]
    candidates = [*found, *(extra for extra in (*extras, *others) if extra is not None)]
    return min(candidates, key=lambda difference: difference.line, default=None)
