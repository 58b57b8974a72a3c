# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of BMv2's runtime CLI that read and write registers and meters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from .names import StfError, number

if TYPE_CHECKING:
    from quench_switch._native import MeterRates, VirtualSwitch

_RATE: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?")
_US_PER_S: Final = 1_000_000
_STEP: Final = Fraction(1, 1_000_000_000)
"""The step of a meter's rate in units per second."""
_BOOLS: Final = {"true": True, "false": False, "1": True, "0": False}


def register_command(switch: VirtualSwitch, array: dict[str, Any], name: str, args: tuple[str, ...]) -> str | None:
    """Carry out ``register_*`` on one array; the answer to show. Raises StfError and DataPlaneError."""
    full = array["name"]
    if name == "register_read":
        if len(args) == 1:
            return " ".join(f"{int.from_bytes(value, 'big'):#x}" for value in switch.register_read_all(full))
        return f"{int.from_bytes(switch.register_read(full, number(args[1])), 'big'):#x}"
    if name == "register_write":
        value = number(args[2])
        switch.register_write(full, number(args[1]), value.to_bytes((value.bit_length() + 7) // 8 or 1, "big"))
    else:
        for index in range(array["size"]):
            switch.register_write(full, index, b"\0")
    return None


def meter_command(switch: VirtualSwitch, array: dict[str, Any], name: str, args: tuple[str, ...]) -> str | None:
    """Carry out ``meter_*`` on one array; the answer to show. Raises StfError and DataPlaneError."""
    full = array["name"]
    if name == "meter_get_rates":
        return str(switch.meter_read(full, number(args[1])))
    rates = meter_rates(args[-2:])
    indices = range(array["size"]) if name == "meter_array_set_rates" else [number(args[1])]
    for index in indices:
        switch.meter_write(full, index, rates)
    return None


def set_custom_crc(switch: VirtualSwitch, name: str, args: Sequence[str]) -> None:
    """Carry out ``set_crc16_parameters`` or ``set_crc32_parameters``. Raises StfError and DataPlaneError."""
    width = 16 if name == "set_crc16_parameters" else 32
    polynomial, initial, final_xor = numbers = [number(arg) for arg in args[1:4]]
    if max(numbers) >> width:
        raise StfError(f"{max(numbers):#x} has more than {width} bits")
    reflections = [_BOOLS.get(arg.lower()) for arg in args[4:]]
    if None in reflections:
        raise StfError(f"{' '.join(args[4:])!r} are not two of true and false")
    switch.set_custom_crc(args[0], width, polynomial, initial, final_xor, *map(bool, reflections))


def meter_rates(texts: Iterable[str]) -> MeterRates:
    """Committed and peak ``rate:burst``. BMv2's rates are per microsecond, the data plane's per second."""
    numbers: list[Any] = []
    for text in texts:
        rate, _, burst = text.partition(":")
        if not _RATE.fullmatch(rate):
            raise StfError(f"{text!r} is not rate:burst")
        per_second = Fraction(rate) * _US_PER_S
        if per_second % _STEP:
            raise StfError(f"{text!r}: {float(per_second)} per second is no multiple of 1e-9 per second")
        numbers += [int(per_second) if per_second.denominator == 1 else float(per_second), number(burst)]
    cir, cburst, pir, pburst = numbers
    return cir, cburst, pir, pburst, 0
