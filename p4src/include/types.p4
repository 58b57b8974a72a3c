// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths, fixed-point formats and numbers that only the v1model program has. The others are in common/types.p4.

#ifndef QUENCH_V1MODEL_TYPES_P4
#define QUENCH_V1MODEL_TYPES_P4

#include "common/types.p4"

// Average queue in packets: 24 integer and 16 fractional bits.
typedef bit<40> average_t;
#define AVERAGE_FRACTION_BITS 16

// The average as a match key: packets with 4 fractional bits, saturated. Tofino matches ranges of at most 20 bits.
typedef bit<20> average_key_t;

// Probability: 1.0 is 2^24.
typedef bit<32> probability_t;
const probability_t PROBABILITY_ONE = 1 << 24;

// Weight of the moving average and factor of its decay, scaled as a probability.
typedef bit<32> fraction_t;
#define FRACTION_BITS 24
#define FRACTION_HALF (1 << (FRACTION_BITS - 1))

// Change of a probability per packet of average queue: two's complement with 28 fractional bits.
typedef bit<32> slope_t;
#define SLOPE_FRACTION_BITS 28
#define SLOPE_TO_PROBABILITY_SHIFT (AVERAGE_FRACTION_BITS + SLOPE_FRACTION_BITS - FRACTION_BITS)

// The level of congestion in a source quench: 0..127, with 8 fractional bits.
typedef bit<16> isq_level_t;
#define ISQ_LEVEL_FRACTION_BITS 8
#define ISQ_LEVEL_MAX 127

// Change of that level per packet of average queue: two's complement with 16 fractional bits.
typedef bit<32> isq_level_slope_t;
#define SLOPE_TO_ISQ_LEVEL_SHIFT (AVERAGE_FRACTION_BITS + 16 - ISQ_LEVEL_FRACTION_BITS)

// Packets since the last mark, in packets of mean size: 20 integer and 12 fractional bits.
typedef bit<32> mean_packets_t;
#define MEAN_PACKETS_FRACTION_BITS 12
#define COUNT_PER_BYTE_SHIFT (FRACTION_BITS - MEAN_PACKETS_FRACTION_BITS)

// Idle time as a match key: units of 16 us, saturated.
typedef bit<20> idle_key_t;
#define IDLE_KEY_SHIFT 4

const bit<16> ETHERNET_BYTES = 14;
const bit<16> IPV4_BYTES = 20;
const bit<16> ICMP_BYTES = 8;
const bit<16> TRANSPORT_BYTES = 8;    // of header transport_t

// A copy for the CPU holds packet_in, Ethernet, the longest IPv4 header, and at least 8 bytes behind it.
const bit<32> CPU_COPY_BYTES = 128;

#endif
