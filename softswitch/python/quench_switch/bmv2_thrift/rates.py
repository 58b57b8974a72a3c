# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rates of meters: BMv2 counts units in a microsecond, the data plane in a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bm_runtime.standard import ttypes as t

if TYPE_CHECKING:
    from quench_switch._native import MeterRates

_US: Final = 1_000_000
_LARGEST: Final = 2**63 - 1


def to_rates(rates: Sequence[t.BmMeterRateConfig]) -> MeterRates:
    """The committed rate, then the peak rate. Raises BAD_RATES_LIST and INVALID_INFO_RATE_VALUE."""
    code = t.MeterOperationErrorCode
    if len(rates) != 2:
        raise t.InvalidMeterOperation(code.BAD_RATES_LIST)
    numbers = []
    for rate in rates:
        if rate.units_per_micros is None or rate.burst_size is None:
            raise t.InvalidMeterOperation(code.BAD_RATES_LIST)
        if not 0 <= rate.units_per_micros * _US <= _LARGEST:
            raise t.InvalidMeterOperation(code.INVALID_INFO_RATE_VALUE)
        if rate.burst_size < 0:
            raise t.InvalidMeterOperation(code.INVALID_BURST_SIZE_VALUE)
        numbers += [round(rate.units_per_micros * _US), rate.burst_size]
    committed, committed_burst, peak, peak_burst = numbers
    return committed, committed_burst, peak, peak_burst, 0


def from_rates(rates: MeterRates | None) -> list[t.BmMeterRateConfig]:
    """As BMv2 gives them; an empty list for a meter that is not configured."""
    if rates is None:
        return []
    return [
        t.BmMeterRateConfig(units_per_micros=rate / _US, burst_size=min(burst, 2**31 - 1))
        for rate, burst in (rates[:2], rates[2:4])
    ]
