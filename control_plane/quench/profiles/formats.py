# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The fixed-point formats of p4src/v1model/types.p4."""

from quench.profiles.fit import Format

PROBABILITY_ONE = 1 << 40
FRACTION_ONE = 1 << 32
LEAST_WEIGHT = 1 / (1 << 24)
"""The average register holds what one step of this weight adds."""
AVERAGE_ONE_PKT = 1 << 28
AVERAGE_KEY_STEP_PKTS = 1 / 16
AVERAGE_KEY_MAX = (1 << 24) - 1
AVERAGE_KEY_TO_AVERAGE_SHIFT = 24
MAX_DEPTH_PKTS = (1 << 19) - 1
"""A target reports the depth of a queue in 19 bits."""
SLOPE_BITS = 64
SLOPE_ONE_PER_PKT = 1 << 56
SLOPE_TO_PROBABILITY_SHIFT = 44
ISQ_LEVEL_ONE = 1 << 8
ISQ_LEVEL_SLOPE_BITS = 48
ISQ_LEVEL_SLOPE_ONE_PER_PKT = 1 << 32
ISQ_LEVEL_SLOPE_SHIFT = 52
MEAN_PACKETS_ONE = 1 << 12
TRANSMISSION_ONE_US = 1 << 8
TRANSMISSION_MAX_US = (1 << 32) - 1
DECAY_RATE_BITS = 32

CURVE_FORMAT = Format(
    step_pkts=AVERAGE_KEY_STEP_PKTS,
    probability=1 / PROBABILITY_ONE,
    slope_per_pkt=1 / SLOPE_ONE_PER_PKT,
)
