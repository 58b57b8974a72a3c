# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Meter rates and counter values as the messages carry them."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from quench_switch.messages import p4i, p4r

from .errors import invalid

if TYPE_CHECKING:
    from quench_switch._native import Colors, MeterRates


def decode_rates(config: p4r.MeterConfig, spec: p4i.MeterSpec | None, what: str) -> MeterRates:
    """Rates of a meter, checked against its type (RFC 2697, RFC 2698); INVALID_ARGUMENT where there is none."""
    if spec is None:
        raise invalid(f"{what} has no direct meter")
    if min(config.cir, config.cburst, config.pir, config.pburst, config.eburst) < 0:
        raise invalid(f"{what}: rates and bursts cannot be negative")
    if config.cir > config.pir:
        raise invalid(f"{what}: the committed rate {config.cir} is above the peak rate {config.pir}")
    single_rate = spec.type != p4i.MeterSpec.TWO_RATE_THREE_COLOR
    if single_rate and (config.pir, config.pburst) != (config.cir, config.cburst):
        raise invalid(f"{what}: a single-rate meter needs pir = cir and pburst = cburst")
    if config.eburst and spec.type != p4i.MeterSpec.SINGLE_RATE_THREE_COLOR:
        raise invalid(f"{what}: eburst belongs to single-rate three-color meters only")
    return config.cir, config.cburst, config.pir, config.pburst, config.eburst


def encode_rates(rates: MeterRates) -> p4r.MeterConfig:
    """The message that :func:`decode_rates` was given.

    P4Runtime's rates are whole: one with a fraction, which only Thrift and STF can set, is rounded up, never to 0.
    """
    cir, cburst, pir, pburst, eburst = rates
    return p4r.MeterConfig(cir=ceil(cir), cburst=cburst, pir=ceil(pir), pburst=pburst, eburst=eburst)


def check_cleared(data: p4r.MeterCounterData, what: str) -> None:
    """INVALID_ARGUMENT where a request sets the counts of colors to anything but 0."""
    if any(count.packet_count or count.byte_count for count in (data.green, data.yellow, data.red)):
        raise invalid(f"{what}: the counts of a meter's colors can only be set to 0")


def encode_colors(colors: Colors) -> p4r.MeterCounterData:
    """Message of what a meter colored green, yellow and red."""
    green, yellow, red = (encode_counter(count) for count in colors)
    return p4r.MeterCounterData(green=green, yellow=yellow, red=red)


def decode_counter(data: p4r.CounterData, what: str) -> tuple[int, int]:
    """(packets, bytes) to write."""
    if data.packet_count < 0 or data.byte_count < 0:
        raise invalid(f"{what}: counts cannot be negative")
    return data.packet_count, data.byte_count


def encode_counter(value: tuple[int, int]) -> p4r.CounterData:
    """Message of (packets, bytes), which wrap at 2^63 as ``int64`` holds no more."""
    mask = (1 << 63) - 1
    return p4r.CounterData(packet_count=value[0] & mask, byte_count=value[1] & mask)
