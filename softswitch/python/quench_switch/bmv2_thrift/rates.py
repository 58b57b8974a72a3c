# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rates of meters: BMv2 counts units in a microsecond, the data plane in a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from bm_runtime.standard import ttypes as t

if TYPE_CHECKING:
    from quench_switch._native import MeterRates

_US: Final = 1_000_000
_LARGEST: Final = 2**63 - 1
_SMALLEST: Final = 1e-9
"""A rate that the data plane keeps, in units a second."""


def to_rates(rates: Sequence[t.BmMeterRateConfig]) -> MeterRates:
    """The committed rate, then the peak rate. Raises BAD_RATES_LIST and INVALID_INFO_RATE_VALUE."""
    code = t.MeterOperationErrorCode
    if len(rates) != 2:
        raise t.InvalidMeterOperation(code.BAD_RATES_LIST)
    numbers: list[Any] = []
    for rate in rates:
        if rate.units_per_micros is None or rate.burst_size is None:
            raise t.InvalidMeterOperation(code.BAD_RATES_LIST)
        per_second = rate.units_per_micros * _US
        if not (per_second == 0 or _SMALLEST <= per_second <= _LARGEST):
            raise t.InvalidMeterOperation(code.INVALID_INFO_RATE_VALUE)
        if rate.burst_size < 0:
            raise t.InvalidMeterOperation(code.INVALID_BURST_SIZE_VALUE)
        numbers += [_exact(per_second), rate.burst_size]
    committed, committed_burst, peak, peak_burst = numbers
    if committed > peak:
        raise t.InvalidMeterOperation(code.INVALID_INFO_RATE_VALUE)
    return committed, committed_burst, peak, peak_burst, 0


def _exact(per_second: float) -> float:
    """A whole number where that is what was meant: the product of a decimal fraction and a million rarely is one."""
    whole = round(per_second)
    return whole if abs(per_second - whole) < _SMALLEST * max(whole, 1) else per_second


def from_rates(rates: MeterRates | None) -> list[t.BmMeterRateConfig]:
    """The rates as BMv2 gives them; an empty list for a meter that is not configured."""
    if rates is None:
        return []
    return [
        t.BmMeterRateConfig(units_per_micros=rate / _US, burst_size=min(burst, 2**31 - 1))
        for rate, burst in (rates[:2], rates[2:4])
    ]
