# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Random values of the sizes that programs declare, near their limits and equal more often than by chance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from .keys import FieldKey, Key, canonical_field
from .program import Action, Call, Field
from .values import shortest

Item = TypeVar("Item")


class Draw(random.Random):
    """A source of random messages."""

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.random() < probability

    def maybe(self, items: Sequence[Item], probability: float = 0.9) -> Item | None:
        """One of the items, or None."""
        return self.choice(items) if items and self.chance(probability) else None

    def number(self, bits: int) -> int:
        """A value of ``bit<bits>``, small or at its limits in most cases."""
        last = (1 << bits) - 1
        way = self.randrange(8)
        if way < 4:
            return self.randrange(min(last, 7) + 1)
        if way == 4:
            return last - self.randrange(min(last, 2) + 1)
        if way == 5:
            return 1 << self.randrange(bits)
        return self.getrandbits(bits)

    def encoded(self, value: int) -> bytes:
        """A byte string that holds an unsigned value, not always the shortest."""
        raw = shortest(value)
        return bytes(self.randint(1, 3)) + raw if self.chance(0.1) else raw

    def size(self) -> int:
        """A 64-bit count or rate."""
        return self.choice([0, 1, self.randrange(1000), self.getrandbits(31), self.getrandbits(63), (1 << 63) - 1])

    def field(self, match: Field) -> FieldKey:
        """A match of a field."""
        value = self.number(match.bits)
        if match.kind == "exact":
            return ("exact", value)
        if self.chance(0.25):
            return None
        if match.kind == "optional":
            return ("optional", value)
        if match.kind == "lpm":
            return canonical_field(("lpm", value, self.randint(1, match.bits)), match.bits)
        if match.kind == "ternary":
            return canonical_field(("ternary", value, self.number(match.bits)), match.bits)
        other = self.number(match.bits)
        return canonical_field(("range", min(value, other), max(value, other)), match.bits)

    def key(self, fields: Sequence[Field]) -> Key:
        """A key of a table or value set."""
        return tuple(self.field(match) for match in fields)

    def call(self, actions: Sequence[Action]) -> Call:
        """An action with its parameters."""
        action = self.choice(actions)
        return action, tuple((number, self.number(width.bits)) for number, width in action.params.items())

    def text(self) -> bytes:
        """Opaque metadata."""
        return self.choice([b"", b"a", b"b", self.randbytes(8)])

    def port(self) -> int | None:
        """A watch port, or none."""
        return self.number(9) if self.chance(0.2) else None
