# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities with units as people write them: ``10Mbps``, ``90KB``, ``40ms``, ``2%``, and options made of them.

Decimal prefixes are powers of 1000 (``KB`` is 1000 bytes), binary ones of 1024 (``KiB``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quench_switch._native import PortOptions

MAX_CHARACTERS: Final = 64
"""Of a number with its unit."""
_QUANTITY: Final = re.compile(r"\s*((?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)\s*([A-Za-z/%]*)\s*")

_PREFIXES: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_BPS: Final = {prefix + unit: factor for prefix, factor in _PREFIXES.items() for unit in ("bps", "bit/s", "bit")}
_PPS: Final = {prefix + unit: factor for prefix, factor in _PREFIXES.items() for unit in ("pps", "pkt/s")}
_BYTES: Final = {
    "b": 1,
    "byte": 1,
    "bytes": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
}
_PKTS: Final = dict.fromkeys(("p", "pkt", "pkts", "packet", "packets"), 1)
_NS: Final = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


class UnitError(ValueError):
    """A quantity that cannot be understood; the message says what would be."""


def _split(text: str, example: str) -> tuple[Fraction, str]:
    match = _QUANTITY.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if match is None:
        raise UnitError(f"{text!r} is not a quantity: write it as {example}")
    return Fraction(match[1]), match[2].lower()


def _scaled(text: str, units: Mapping[str, int], example: str) -> int:
    number, unit = _split(text, example)
    if unit not in units:
        raise UnitError(f"{text!r} has no known unit: write it as {example}")
    value = number * units[unit]
    if value.denominator != 1:
        raise UnitError(f"{text!r} is not a whole number of the smallest unit: write it as {example}")
    return int(value)


def parse_rate(text: str) -> tuple[str, int]:
    """``("bps", n)`` or ``("pps", n)``."""
    example = "10Mbps or 1000pps"
    unit = _split(text, example)[1]
    if unit in _PPS:
        return "pps", _scaled(text, _PPS, example)
    return "bps", _scaled(text, _BPS, example)


def parse_capacity(text: str) -> tuple[str, int]:
    """``("bytes", n)`` or ``("pkts", n)``."""
    example = "90KB or 64pkts"
    unit = _split(text, example)[1]
    if unit in _PKTS:
        return "pkts", _scaled(text, _PKTS, example)
    return "bytes", _scaled(text, _BYTES, example)


def parse_duration_ns(text: str) -> int:
    """Nanoseconds."""
    return _scaled(text, _NS, "40ms")


def parse_probability(text: str) -> float:
    """A probability from 0 to 1, also written in percent."""
    number, unit = _split(text, "0.02 or 2%")
    if unit not in ("", "%"):
        raise UnitError(f"{text!r} is not a probability: write it as 0.02 or 2%")
    value = number / (100 if unit == "%" else 1)
    if value > 1:
        raise UnitError(f"{text!r} is above 1")
    return float(value)


def parse_flag(text: str) -> bool:
    """``true`` or ``false`` and their usual synonyms."""
    values = {"": True, "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in values:
        raise UnitError(f"{text!r} is not true or false")
    return values[text.lower()]


def parse_count(text: str, low: int, high: int) -> int:
    """A whole number between two bounds."""
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_CHARACTERS) or not low <= int(text) <= high:
        raise UnitError(f"{text[:40]!r} is not a number from {low} to {high}")
    return int(text)


MAX_QUEUES: Final = 8
"""Queues that a port can have: ``priority`` of the v1model has 3 bits."""

SCHEDULERS: Final = ("strict", "drr", "scfq")
"""Strict priority, deficit round robin, self-clocked fair queuing."""

LEAST_WEIGHT: Final = 0.001
MOST_WEIGHT: Final = 1000.0


def parse_queue(text: str) -> int:
    """The number of a queue."""
    return parse_count(text.strip(), 0, MAX_QUEUES - 1)


def parse_scheduler(text: str) -> str:
    """The name of a scheduler."""
    if text not in SCHEDULERS:
        raise UnitError(f"{text!r} is not {', '.join(SCHEDULERS[:-1])} or {SCHEDULERS[-1]}")
    return text


def parse_weights(text: str) -> dict[int, float]:
    """Weights of queues from ``1:0.8/0:0.2``."""
    weights: dict[int, float] = {}
    for item in text.split("/"):
        queue_text, colon, weight_text = item.partition(":")
        if not colon:
            raise UnitError(f"{item!r} is not QUEUE:WEIGHT: write weights as 1:0.8/0:0.2")
        queue = parse_queue(queue_text)
        if queue in weights:
            raise UnitError(f"queue {queue} is given twice")
        number, unit = _split(weight_text, "1:0.8/0:0.2")
        if unit or not LEAST_WEIGHT <= number <= MOST_WEIGHT:
            raise UnitError(f"weight {weight_text!r} is not a number from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}")
        weights[queue] = float(number)
    return weights


def parse_port_options(text: str) -> PortOptions:
    """Options of a port.

    ``rate=10Mbps,capacity=90KB,capacity.1=25KB,queues=8,scheduler=scfq,weights=1:0.8/0:0.2,delay=40ms,loss=0.02,hold``.
    """
    options: PortOptions = {}
    seen: set[str] = set()
    for item in text.split(","):
        key, equals, value = item.partition("=")
        key = key.strip()
        if key in seen:
            raise UnitError(f"{key} is given twice")
        seen.add(key)
        if not equals and key != "hold":
            raise UnitError(f"{item!r} is not key=value")
        try:
            _set_option(options, key, value.strip())
        except UnitError as error:
            raise UnitError(f"{key}: {error}") from None
    return options


def _set_option(options: PortOptions, key: str, value: str) -> None:
    if key == "rate":
        # Naming one kind of rate or capacity removes a limit of the other kind.
        kind, number = parse_rate(value)
        options["rate_bps"], options["rate_pps"] = (number, 0) if kind == "bps" else (0, number)
    elif key == "capacity":
        kind, number = parse_capacity(value)
        options["capacity_bytes"], options["capacity_pkts"] = (number, 0) if kind == "bytes" else (0, number)
    elif key.startswith("capacity."):
        queue = parse_queue(key.removeprefix("capacity."))
        kind, number = parse_capacity(value)
        pkts, bytes_ = (number, 0) if kind == "pkts" else (0, number)
        options["queue_capacity_pkts"] = {**options.get("queue_capacity_pkts", {}), queue: pkts}
        options["queue_capacity_bytes"] = {**options.get("queue_capacity_bytes", {}), queue: bytes_}
    elif key == "scheduler":
        options["scheduler"] = parse_scheduler(value)
    elif key == "weights":
        options["weights"] = parse_weights(value)
    elif key == "delay":
        options["delay_ns"] = parse_duration_ns(value)
    elif key == "loss":
        options["loss"] = parse_probability(value)
    elif key == "queues":
        options["queues"] = parse_count(value, 1, MAX_QUEUES)
    elif key == "hold":
        options["hold"] = parse_flag(value)
    else:
        raise UnitError(
            "unknown; the options are rate, capacity, capacity.QUEUE, queues, scheduler, weights, delay, loss and hold"
        )


def parse_port_spec(text: str) -> tuple[int, PortOptions]:
    """``PORT:key=value,...`` as after ``--port``."""
    port, colon, options = text.partition(":")
    if not colon:
        raise UnitError(f"{text!r} is not PORT:key=value,...")
    return parse_count(port.strip(), 0, 511), parse_port_options(options)


def parse_interface_spec(text: str) -> tuple[int, str]:
    """``PORT@INTERFACE`` as after ``-i``."""
    port, at, interface = text.partition("@")
    if not at or not interface:
        raise UnitError(f"{text!r} is not PORT@INTERFACE")
    return parse_count(port.strip(), 0, 511), interface
