# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Byte strings (specification, "Bytestrings")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from finsy import GRPCStatusCode as Code

from .verdict import Verdict

SDN_PORT_CPU: Final = 0xFFFFFFFD
"""The CPU port in the controller's numbers (specification, "Translation of Port Numbers")."""
CPU_PORT: Final = 510
"""The same in the data plane."""


def shortest(value: int) -> bytes:
    """The canonical form of an unsigned value."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def shortest_signed(value: int) -> bytes:
    """The canonical form of a signed value."""
    size = 1
    while not -(1 << (8 * size - 1)) <= value < 1 << (8 * size - 1):
        size += 1
    return value.to_bytes(size, "big", signed=True)


def unsigned(raw: bytes, bits: int, what: str, verdict: Verdict) -> int | None:
    """The value of a byte string for ``bit<bits>``, None if it breaks a rule."""
    value = int.from_bytes(raw, "big")
    if not raw or value >> bits:
        verdict.refuse(Code.OUT_OF_RANGE, f"{what}: {raw.hex() or 'nothing'} is no value of {bits} bits")
        return None
    return value


def signed(raw: bytes, bits: int, what: str, verdict: Verdict) -> int | None:
    """The value of a byte string for ``int<bits>``, None if it breaks a rule."""
    value = int.from_bytes(raw, "big", signed=True)
    if not raw or not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        verdict.refuse(Code.OUT_OF_RANGE, f"{what}: {raw.hex() or 'nothing'} is no value of {bits} signed bits")
        return None
    return value


@dataclass(frozen=True)
class Width:
    """Widths of a value for the controller and for the data plane, which differ if its type is translated."""

    bits: int
    sdn_bits: int = 0
    """0 without translation."""
    is_port: bool = False

    def parse(self, raw: bytes, what: str, verdict: Verdict) -> int | None:
        """The data plane's value, None if it breaks a rule."""
        value = unsigned(raw, self.sdn_bits or self.bits, what, verdict)
        if value == SDN_PORT_CPU and self.is_port:
            return CPU_PORT
        if value is not None and value >> self.bits:
            verdict.refuse(Code.OUT_OF_RANGE, f"{what}: the data plane has {self.bits} bits")
            return None
        return value

    def encode(self, value: int) -> bytes:
        """The controller's byte string."""
        return shortest(SDN_PORT_CPU if self.is_port and value == CPU_PORT else value)
