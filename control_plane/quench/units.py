# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write them: ``15KB``, ``10Mbps``, ``40ms``, ``64pkts``.

Prefixes are decimal (k = 1000), as in the papers and in link rates; ``KiB`` and ``MiB`` are binary.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, PlainSerializer

_QUANTITY = re.compile(r"\s*((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/]*)\s*")
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20}
_BITS_PER_SECOND = {"bps": 1, "kbps": 10**3, "mbps": 10**6, "gbps": 10**9}
_BITS_PER_SECOND |= {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}  # as tc(8) writes them
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_PACKETS = {"", "p", "pkt", "pkts", "packets"}


LARGEST = 1e18
"""Of the numbers in a quantity: what is larger does not fit where quantities go."""
LARGEST_RATE_BPS = 1e27
"""Of a rate: the largest number of the largest unit."""


def _split(text: str, what: str) -> tuple[float, str]:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a {what}")
    value = float(match[1])
    if value > LARGEST:
        raise ValueError(f"{text!r}: a {what} has no number above {LARGEST:g}")
    return value, match[2]


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth of a queue, in the unit in which it was given."""

    value: float
    unit: Literal["bytes", "pkts"]

    def in_pkts(self, mean_packet_bytes: int) -> float:
        """The depth in packets of mean size."""
        return self.value / mean_packet_bytes if self.unit == "bytes" else self.value

    def __str__(self) -> str:
        if self.unit == "pkts":
            return f"{self.value:.12g}pkts"
        return f"{self.value / 1000:.12g}KB" if self.value >= 1000 else f"{self.value:.12g}B"


def parse_depth(text: object) -> Depth:
    """``15KB`` (bytes), ``20pkts`` or a bare number (packets). Raises ValueError."""
    if isinstance(text, Depth):
        return text
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not a depth such as 15KB or 20pkts")
    value, unit = _split(text, "depth such as 15KB or 20pkts")
    if unit.lower() in _PACKETS:
        return Depth(value, "pkts")
    if unit.lower() in _BYTES:
        return Depth(value * _BYTES[unit.lower()], "bytes")
    raise ValueError(f"{text!r}: a depth ends in B, KB, MB, KiB, MiB or pkts")


def parse_rate_bps(text: object) -> int:
    """``10Mbps`` or a bare number of bits per second. Raises ValueError."""
    if isinstance(text, int) and not isinstance(text, bool):
        rate = text
    elif isinstance(text, str):
        value, unit = _split(text, "rate such as 10Mbps")
        if unit and unit.lower() not in _BITS_PER_SECOND:
            raise ValueError(f"{text!r}: a rate ends in bps, kbps, Mbps or Gbps")
        rate = round(value * _BITS_PER_SECOND[unit.lower() or "bps"])
    else:
        raise ValueError(f"{text!r} is not a rate such as 10Mbps")
    if rate <= 0:
        raise ValueError(f"{text!r}: a rate is greater than 0")
    if rate > LARGEST_RATE_BPS:
        raise ValueError(f"a rate is at most {LARGEST_RATE_BPS:g} bits per second")
    return rate


def parse_seconds(text: object) -> float:
    """``40ms`` or a bare number of seconds. Raises ValueError."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        # As a comparison, which has no limit for integers: a conversion to float has one.
        if not -LARGEST <= text <= LARGEST:
            raise ValueError(f"{text!r} is not a time such as 40ms")
        return float(text)
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not a time such as 40ms")
    value, unit = _split(text, "time such as 40ms")
    if unit and unit.lower() not in _SECONDS:
        raise ValueError(f"{text!r}: a time ends in s, ms, us or ns")
    return value * _SECONDS[unit.lower() or "s"]


DepthField = Annotated[Depth, BeforeValidator(parse_depth), PlainSerializer(str)]
"""``15KB`` or ``20pkts``."""
RateField = Annotated[int, BeforeValidator(parse_rate_bps)]
"""``10Mbps``, in bits per second."""
SecondsField = Annotated[float, BeforeValidator(parse_seconds)]
"""``40ms``, in seconds."""
