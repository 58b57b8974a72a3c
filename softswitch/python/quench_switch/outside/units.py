# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write them: ``10Mbps``, ``15KB``, ``64pkts``, ``40ms``, ``2%``.

Every quantity has a unit, except 0, which is the same in all units. Prefixes are decimal (``k`` is 1000), as in the
papers and in link rates; ``Ki``, ``Mi`` and ``Gi`` are powers of 1024 (IEC 80000-13). Case does not matter, except that
a capital ``B`` is a byte: rates are in bits, so ``10MB/s`` is refused. Arithmetic is exact until the result is rounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal

MAX_CHARACTERS: Final = 64
"""Longest text of a quantity."""
MAX_VALUE: Final = 10**18
"""Largest quantity, in its smallest unit (bit/s, packet/s, byte, packet, ns): it fits 64 bits."""
_QUOTED: Final = 40
"""Characters of a refused text that the error repeats."""

_QUANTITY: Final = re.compile(r"\s*((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)\s*([A-Za-z/%]*)\s*")
_DECIMAL: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_BINARY: Final = {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}

_BPS: Final = {prefix + unit: factor for prefix, factor in _DECIMAL.items() for unit in ("bps", "b/s", "bit/s", "bit")}
_PPS: Final = {prefix + unit: factor for prefix, factor in _DECIMAL.items() for unit in ("pps", "pkt/s", "pkts/s")}
_BYTES: Final = {f"{prefix}b": factor for prefix, factor in (_DECIMAL | _BINARY).items()} | {"byte": 1, "bytes": 1}
_PKTS: Final = dict.fromkeys(("p", "pkt", "pkts", "packet", "packets"), 1)
_NS: Final = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}

_RATE_BPS: Final = "10Mbps, 10Mbit/s or 500kb/s"
_RATE: Final = "10Mbps or 1000pps"
_DEPTH: Final = "15KB or 20pkts"
_THRESHOLD: Final = "5KB, 9pkts, 9%, 5ms or 1bdp"
_TIME: Final = "40ms or 1.5s"
_MAX_BDP: Final = 1000
"""Largest threshold as a share of the bandwidth-delay product."""
_PROBABILITY: Final = "0.02 or 2%"


class UnitError(ValueError):
    """A text that is no quantity, or not of the wanted kind. The message is one line with an example."""


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth or a capacity of a queue, in the unit in which it was given."""

    value: float
    """Bytes or packets; a threshold of an average may be a fraction."""
    unit: Literal["bytes", "pkts"]

    def in_pkts(self, mean_packet_bytes: int) -> float:
        """The depth in packets of mean size."""
        return self.value / mean_packet_bytes if self.unit == "bytes" else self.value

    def __str__(self) -> str:
        """A text that ``parse_depth`` reads as the same depth."""
        if self.unit == "pkts":
            return f"{_digits(self.value)}pkts"
        return f"{_digits(self.value, 3)}KB" if self.value >= 1000 else f"{_digits(self.value)}B"


@dataclass(frozen=True, slots=True)
class RelativeDepth:
    """A threshold that is a depth at a known port: a part of the buffer, a time of sending, or a part of the BDP."""

    value: float
    """Percent, whole nanoseconds, or a part of the bandwidth-delay product of the path."""
    unit: Literal["%", "ns", "bdp"]

    def at_port(self, rate_bps: int, buffer: Depth | None, rtt_s: float | None = None) -> Depth:
        """The depth at a port of this rate, whose queue holds at most ``buffer``, on a path with this round trip.

        Raises UnitError where that is not known.
        """
        if self.unit == "bdp":
            if rtt_s is None:
                raise UnitError(
                    f"{self} needs the path's round trip, which is not known here: give a depth as {_DEPTH}"
                )
            return Depth(float(round(Fraction(self.value) * Fraction(rtt_s) * rate_bps / 8)), "bytes")
        if self.unit == "ns":
            return Depth(float(round(Fraction(self.value) * rate_bps / (8 * 10**9))), "bytes")
        if buffer is None:
            raise UnitError(
                f"{self} needs the size of the buffer, which is not known here: give it, or a depth as {_DEPTH}"
            )
        part = Fraction(self.value) * Fraction(buffer.value) / 100
        return Depth(float(round(part)) if buffer.unit == "bytes" else float(round(part, 3)), buffer.unit)

    def __str__(self) -> str:
        """A text that ``parse_threshold`` reads as the same."""
        if self.unit == "ns":
            return format_seconds(Fraction(self.value) / 10**9)
        return f"{_digits(self.value)}{self.unit}"


def parse_threshold(text: object) -> Depth | RelativeDepth:
    """``15KB`` or ``20pkts``, ``20%`` of the buffer, ``5ms`` of sending, ``0.5bdp`` of the path. Raises UnitError."""
    if isinstance(text, Depth | RelativeDepth):
        return text
    number, unit = _split(text, _THRESHOLD)
    if unit == "%":
        if number > 100:
            raise UnitError(f"{quoted(text)} is more than the buffer: write a threshold as {_THRESHOLD}")
        return RelativeDepth(float(number), "%")
    if unit.lower() == "bdp":
        if number > _MAX_BDP:
            raise UnitError(f"{quoted(text)} is more than {_MAX_BDP}bdp: write a threshold as {_THRESHOLD}")
        return RelativeDepth(float(number), "bdp")
    if unit.lower() in _NS:
        return RelativeDepth(float(_whole(text, number * _NS[unit.lower()], "nanoseconds", _THRESHOLD)), "ns")
    kind, value = _depth(text, _THRESHOLD)
    return Depth(float(value), kind)


def parse_depth(text: object) -> Depth:
    """``15KB`` or ``20pkts``; a ``Depth`` stays as it is. Raises UnitError."""
    if isinstance(text, Depth):
        return text
    unit, value = _depth(text)
    return Depth(float(value), unit)


def parse_capacity(text: object) -> tuple[Literal["bytes", "pkts"], int]:
    """A whole number of bytes or packets: ``("bytes", 90000)`` of ``90KB``. Raises UnitError."""
    unit, value = _depth(text)
    return unit, _whole(text, value, "bytes or packets", _DEPTH)


def parse_rate(text: object) -> tuple[Literal["bps", "pps"], int]:
    """A rate in bits or packets per second: ``("bps", 10000000)`` of ``10Mbps``; 0 is allowed. Raises UnitError."""
    number, unit = _split(text, _RATE)
    if unit.lower() in _PPS:
        return "pps", _whole(text, number * _PPS[unit.lower()], "packets per second", _RATE)
    return "bps", _bits_per_second(text, number, unit, _RATE)


def parse_rate_bps(text: object) -> int:
    """A rate above 0 in bits per second, such as ``10Mbps``. Raises UnitError."""
    number, unit = _split(text, _RATE_BPS)
    rate_bps = _bits_per_second(text, number, unit, _RATE_BPS)
    if rate_bps == 0:
        raise UnitError(f"{quoted(text)}: a rate is greater than 0, such as {_RATE_BPS}")
    return rate_bps


def parse_duration_ns(text: object) -> int:
    """A time in nanoseconds, such as ``40ms``. Raises UnitError."""
    number, unit = _split(text, _TIME)
    return _whole(text, number * _factor(text, unit, _NS, _TIME) if unit else number, "nanoseconds", _TIME)


def parse_seconds(text: object) -> float:
    """A time in seconds, a whole number of nanoseconds, such as ``40ms``. Raises UnitError."""
    return float(Fraction(parse_duration_ns(text), 10**9))


def parse_probability(text: object) -> float:
    """A probability from 0 to 1, a number or a text, also written in percent. Raises UnitError."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        if not text >= 0:
            raise UnitError(f"{quoted(text)} is not a probability: write it as {_PROBABILITY}")
        value = Fraction(min(text, 2))
    else:
        number, unit = _matched(text, _PROBABILITY)
        if unit not in ("", "%"):
            raise UnitError(f"{quoted(text)} is not a probability: write it as {_PROBABILITY}")
        value = number / (100 if unit == "%" else 1)
    if value > 1:
        raise UnitError(f"{quoted(text)} is above 1: write a probability as {_PROBABILITY}")
    return float(value)


def parse_number(text: str, least: float, greatest: float) -> float:
    """A number without a unit between two bounds. Raises UnitError."""
    match = _QUANTITY.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if match is None or match[2] or not least <= Fraction(match[1]) <= greatest:
        raise UnitError(f"{quoted(text)} is not a number from {least:g} to {greatest:g}")
    return float(Fraction(match[1]))


def parse_count(text: str, least: int, greatest: int) -> int:
    """A whole number without a unit between two bounds. Raises UnitError."""
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_CHARACTERS) or not least <= int(text) <= greatest:
        raise UnitError(f"{quoted(text)} is not a number from {least} to {greatest}")
    return int(text)


def format_rate_bps(rate_bps: int) -> str:
    """The shortest text that ``parse_rate_bps`` reads as this rate in bits per second: ``10Mbps``."""
    return _in_largest_unit(rate_bps, {"Gbps": 10**9, "Mbps": 10**6, "kbps": 10**3, "bps": 1})


def format_seconds(seconds: float | Fraction) -> str:
    """A text that ``parse_seconds`` reads as this time, to the nanosecond: ``100ms``."""
    return _in_largest_unit(round(Fraction(seconds) * 10**9), {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1})


def _matched(text: object, example: str) -> tuple[Fraction, str]:
    match = _QUANTITY.fullmatch(text) if isinstance(text, str) and len(text) <= MAX_CHARACTERS else None
    if match is None:
        raise UnitError(f"{quoted(text)} is not a quantity: write it as {example}")
    return Fraction(match[1]), match[2]


def _split(text: object, example: str) -> tuple[Fraction, str]:
    """The number and the unit as written; only 0 may lack its unit."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        if text == 0:
            return Fraction(0), ""
        raise UnitError(f"{quoted(text)} has no unit: write it as {example}")
    number, unit = _matched(text, example)
    if number and not unit:
        raise UnitError(f"{quoted(text)} has no unit: write it as {example}")
    return number, unit


def _depth(text: object, example: str = _DEPTH) -> tuple[Literal["bytes", "pkts"], Fraction]:
    number, unit = _split(text, example)
    if not unit or unit.lower() in _PKTS:
        return "pkts", _within(text, number, example)
    return "bytes", _within(text, number * _factor(text, unit, _BYTES, example), example)


def _factor(text: object, unit: str, units: Mapping[str, int], example: str) -> int:
    if unit.lower() not in units:
        raise UnitError(f"{quoted(text)} has no known unit: write it as {example}")
    return units[unit.lower()]


def _bits_per_second(text: object, number: Fraction, unit: str, example: str) -> int:
    if "B" in unit:
        raise UnitError(f"{quoted(text)}: B stands for bytes, and rates are in bits: write it as {example}")
    scaled = number * _factor(text, unit, _BPS, example) if unit else number
    return _whole(text, scaled, "bits per second", example)


def _whole(text: object, value: Fraction, smallest: str, example: str) -> int:
    if value.denominator != 1:
        raise UnitError(f"{quoted(text)} is not a whole number of {smallest}: write it as {example}")
    return int(_within(text, value, example))


def _within(text: object, value: Fraction, example: str) -> Fraction:
    if value > MAX_VALUE:
        raise UnitError(f"{quoted(text)} is more than Quench can count: write it as {example}")
    return value


def quoted(value: object) -> str:
    """The refused value as Python writes it, cut."""
    try:
        text = repr(value)
    except ValueError:
        # Python converts no integer of more than 4300 digits.
        return "an integer of thousands of digits"
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."


def _digits(value: float, shift: int = 0) -> str:
    """The shortest decimal digits of a number divided by ``10**shift``, exactly."""
    number = Decimal(repr(float(value))).scaleb(-shift).normalize()
    plain = f"{number:f}"
    return plain if len(plain) <= MAX_CHARACTERS // 2 else str(number)


def _in_largest_unit(value: int, units: Mapping[str, int]) -> str:
    """A whole number of the first of these units, from the largest on, that gives one."""
    unit = next(unit for unit, factor in units.items() if value % factor == 0)
    return f"{value // units[unit]}{unit}"
