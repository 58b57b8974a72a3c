# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Match keys as plain values, one for each way to say the same."""

from __future__ import annotations

FieldKey = tuple[str, int] | tuple[str, int, int] | None
"""(kind, value), (kind, value, mask or prefix length or upper end), or None for a match on anything."""
Key = tuple[FieldKey, ...]


def canonical_field(given: FieldKey, bits: int) -> FieldKey:
    """The same match, None if it matches anything."""
    if given is None or len(given) == 2:
        return given
    kind, first, second = given
    anything = second == 0 if kind != "range" else (first, second) == (0, (1 << bits) - 1)
    if anything:
        return None
    if kind == "ternary":
        return (kind, first & second, second)
    if kind == "lpm":
        return (kind, first >> (bits - second) << (bits - second), second)
    return given
