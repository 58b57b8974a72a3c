# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Byte strings (specification, "Bytestrings")."""

from __future__ import annotations

from finsy import GRPCStatusCode as Code

from .verdict import Verdict


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
