# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The fixed-point formats of p4src/include/types.p4."""

from quench.profiles.fit import Format

PROBABILITY_ONE = 1 << 24
AVERAGE_KEY_STEP_PKTS = 1 / 16
AVERAGE_KEY_MAX = (1 << 20) - 1
MAX_AVERAGE_PKTS = AVERAGE_KEY_MAX * AVERAGE_KEY_STEP_PKTS
AVERAGE_KEY_TO_AVERAGE_SHIFT = 12
SLOPE_ONE_PER_PKT = 1 << 28
SLOPE_TO_PROBABILITY_SHIFT = 20
ISQ_LEVEL_ONE = 1 << 8
ISQ_LEVEL_SLOPE_ONE_PER_PKT = 1 << 16
ISQ_LEVEL_SLOPE_SHIFT = 24
MEAN_TRANSMISSION_MAX_US = (1 << 32) - 1
MEAN_PACKETS_ONE = 1 << 12
IDLE_KEY_STEP_US = 16
IDLE_KEY_MAX = (1 << 20) - 1
IDLE_SLOPE_ONE = 1 << 32

CURVE_FORMAT = Format(
    step_pkts=AVERAGE_KEY_STEP_PKTS,
    probability=1 / PROBABILITY_ONE,
    slope_per_pkt=1 / SLOPE_ONE_PER_PKT,
    max_slope_per_pkt=((1 << 31) - 1) / SLOPE_ONE_PER_PKT,
)
