# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of meter configurations and counter values."""

from __future__ import annotations

from finsy.proto import p4i, p4r

from .state import Rates
from .verdict import Verdict


def judge_rates(config: p4r.MeterConfig, spec: p4i.MeterSpec, verdict: Verdict) -> Rates:
    """Rates of a meter (RFC 2697, RFC 2698)."""
    rates = (config.cir, config.cburst, config.pir, config.pburst, config.eburst)
    if min(rates) < 0:
        verdict.invalid("a rate or burst is negative")
    if config.cir > config.pir:
        verdict.invalid("the committed rate is above the peak rate")
    if spec.type != p4i.MeterSpec.TWO_RATE_THREE_COLOR and rates[:2] != rates[2:4]:
        verdict.invalid("a single-rate meter with two rates")
    if config.eburst and spec.type != p4i.MeterSpec.SINGLE_RATE_THREE_COLOR:
        verdict.invalid("an excess burst of a meter that has none")
    return rates


def judge_colors(data: p4r.MeterCounterData, verdict: Verdict) -> None:
    """Counts of colors, which can only be set to 0. No packet of a campaign is metered, so they always are."""
    if any(count.packet_count or count.byte_count for count in (data.green, data.yellow, data.red)):
        verdict.invalid("counts of colors")


def judge_counter(data: p4r.CounterData, verdict: Verdict) -> tuple[int, int]:
    """Packets and bytes."""
    if data.packet_count < 0 or data.byte_count < 0:
        verdict.invalid("a count is negative")
    return data.packet_count, data.byte_count
