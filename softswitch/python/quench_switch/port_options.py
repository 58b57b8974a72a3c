# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options of a switch's ports, as text: ``2:rate=10Mbps,capacity=90KB,delay=40ms,loss=2%`` and ``2@veth2``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from quench_switch.outside.units import (
    UnitError,
    parse_capacity,
    parse_count,
    parse_duration_ns,
    parse_number,
    parse_probability,
    parse_rate,
)

if TYPE_CHECKING:
    from quench_switch._native import PortOptions


class Io(StrEnum):
    """The way of packets: through packet sockets, by AF_XDP, or by AF_XDP where nothing speaks against it."""

    PACKET = "packet"
    XDP = "xdp"
    AUTO = "auto"


MAX_QUEUES: Final = 8
"""Queues that a port can have: ``priority`` of the v1model has 3 bits."""

SCHEDULERS: Final = ("strict", "drr", "scfq")
"""Strict priority, deficit round robin, self-clocked fair queuing."""

LEAST_WEIGHT: Final = 0.001
MOST_WEIGHT: Final = 1000.0
"""Bounds of a queue's weight, a share relative to the other queues of the port."""


def parse_flag(text: str) -> bool:
    """``true`` or ``false`` and their usual synonyms; nothing is true. Raises UnitError."""
    values = {"": True, "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in values:
        raise UnitError(f"{text[:40]!r} is not true or false")
    return values[text.lower()]


def parse_queue(text: str) -> int:
    """The number of a queue, 0 to 7. Raises UnitError."""
    return parse_count(text.strip(), 0, MAX_QUEUES - 1)


def parse_scheduler(text: str) -> str:
    """The name of a scheduler. Raises UnitError."""
    if text not in SCHEDULERS:
        raise UnitError(f"{text[:40]!r} is not {', '.join(SCHEDULERS[:-1])} or {SCHEDULERS[-1]}")
    return text


def parse_weights(text: str) -> dict[int, float]:
    """Weights of queues from ``1:0.8/0:0.2``. Raises UnitError."""
    weights: dict[int, float] = {}
    for item in text.split("/"):
        queue_text, colon, weight_text = item.partition(":")
        if not colon:
            raise UnitError(f"{item!r} is not QUEUE:WEIGHT: write weights as 1:0.8/0:0.2")
        queue = parse_queue(queue_text)
        if queue in weights:
            raise UnitError(f"queue {queue} is given twice")
        weights[queue] = parse_number(weight_text, LEAST_WEIGHT, MOST_WEIGHT)
    return weights


def parse_port_options(text: str) -> PortOptions:
    """The options of a port. Raises UnitError.

    ``rate=10Mbps,rate.7=500pps,capacity=90KB,capacity.1=25KB,queues=8,scheduler=scfq,weights=1:0.8/0:0.2`` and
    ``delay=40ms,loss=0.02,hold``.
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
    # Naming one kind of rate or capacity removes a limit of the other kind.
    if key == "rate":
        kind, rate = parse_rate(value)
        options["rate_bps"], options["rate_pps"] = (rate, 0) if kind == "bps" else (0, rate)
    elif key == "capacity":
        options["capacity_bytes"], options["capacity_pkts"] = _capacity(value)
    elif key.startswith("capacity."):
        queue = parse_queue(key.removeprefix("capacity."))
        in_bytes, in_pkts = _capacity(value)
        options["queue_capacity_bytes"] = {**options.get("queue_capacity_bytes", {}), queue: in_bytes}
        options["queue_capacity_pkts"] = {**options.get("queue_capacity_pkts", {}), queue: in_pkts}
    elif key.startswith("rate."):
        queue = parse_queue(key.removeprefix("rate."))
        kind, rate = parse_rate(value)
        if kind != "pps":
            raise UnitError(f"{value!r}: a queue's own rate is in packets per second, such as 500pps")
        options["queue_rate_pps"] = {**options.get("queue_rate_pps", {}), queue: rate}
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
            "unknown; the options are rate, rate.QUEUE, capacity, capacity.QUEUE, queues, scheduler, weights, delay, "
            "loss and hold"
        )


def _capacity(text: str) -> tuple[int, int]:
    """Bytes and packets, of which one is 0."""
    unit, number = parse_capacity(text)
    return (number, 0) if unit == "bytes" else (0, number)


def parse_port_spec(text: str) -> tuple[int, PortOptions]:
    """``PORT:key=value,...`` as after ``--port``. Raises UnitError."""
    port, colon, options = text.partition(":")
    if not colon:
        raise UnitError(f"{text!r} is not PORT:key=value,...")
    return parse_count(port.strip(), 0, 511), parse_port_options(options)


def parse_port_specs(specs: Iterable[str]) -> dict[int, PortOptions]:
    """Options of several ports; those of one port add up. Raises :class:`UnitError`."""
    options: dict[int, PortOptions] = {}
    for spec in specs:
        port, given = parse_port_spec(spec)
        before = options.setdefault(port, {})
        for key, value in given.items():
            old = before.get(key)
            # Options of single queues add up.
            merged = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
            before[key] = merged  # type: ignore[literal-required]
    return options


def parse_interface_spec(text: str) -> tuple[int, str]:
    """``PORT@INTERFACE`` as after ``-i``. Raises UnitError."""
    port, at, interface = text.partition("@")
    if not at or not interface:
        raise UnitError(f"{text!r} is not PORT@INTERFACE")
    return parse_count(port.strip(), 0, 511), interface
