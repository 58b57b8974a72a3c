// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths, fixed-point formats and numbers that only the v1model program has. The others are in common/types.p4.

#ifndef QUENCH_V1MODEL_TYPES_P4
#define QUENCH_V1MODEL_TYPES_P4

// Routes of common/routing.p4 may name a group of next hops.
#define ROUTES_HAVE_GROUPS

#include "../common/types.p4"

// Products of two numbers, of which the widest has 120 bits (draw.p4).
#define PRODUCT_BITS 120
typedef bit<PRODUCT_BITS> product_t;
typedef int<PRODUCT_BITS> signed_product_t;

// Average queue in packets: 20 integer and 28 fractional bits. A step is rounded to 2^-28 packets, so with the least weight,
// 2^-24, the average stops within 2^-5 packets of a standing queue.
typedef bit<48> average_t;
#define AVERAGE_FRACTION_BITS 28
#define AVERAGE_TO_Q16_SHIFT (AVERAGE_FRACTION_BITS - 16)    // of packet_in
const average_t REPORT_AVERAGE_MAX = 0xffffffff;             // of a report_average_t

// The average as a match key: packets with 4 fractional bits.
typedef bit<24> average_key_t;
#define AVERAGE_KEY_SHIFT (AVERAGE_FRACTION_BITS - 4)

// Probability: 1.0 is 2^40.
typedef bit<48> probability_t;
#define PROBABILITY_FRACTION_BITS 40
const probability_t PROBABILITY_ONE = 1 << PROBABILITY_FRACTION_BITS;

// Weight of the moving average, factor of its decay, packets of mean size for each byte: 1.0 is 2^32.
typedef bit<40> fraction_t;
#define FRACTION_BITS 32
#define FRACTION_MASK ((1 << FRACTION_BITS) - 1)
const fraction_t FRACTION_ONE = 1 << FRACTION_BITS;

// A product with a fraction as the nearest whole number: truncation would lower the average at every packet if the weight is
// small or the idle time short.
#define ROUNDED_FRACTION(product) (((product) + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS)

// Change of a probability per packet of average queue: two's complement with 56 fractional bits.
typedef bit<64> slope_t;
#define SLOPE_FRACTION_BITS 56
#define SLOPE_TO_PROBABILITY_SHIFT (AVERAGE_FRACTION_BITS + SLOPE_FRACTION_BITS - PROBABILITY_FRACTION_BITS)

// The level of congestion in a source quench, with 8 fractional bits.
typedef bit<16> isq_level_q8_t;
#define ISQ_LEVEL_FRACTION_BITS 8
const level_t ISQ_LEVEL_MAX = 127;

// Change of that level per packet of average queue: two's complement with 32 fractional bits.
typedef bit<48> isq_level_slope_t;
#define ISQ_LEVEL_SLOPE_FRACTION_BITS 32
#define SLOPE_TO_ISQ_LEVEL_SHIFT (AVERAGE_FRACTION_BITS + ISQ_LEVEL_SLOPE_FRACTION_BITS - ISQ_LEVEL_FRACTION_BITS)

// One packet in packets of mean size, and the packets since the last mark: 12 fractional bits.
typedef bit<32> mean_packets_t;
typedef bit<48> packet_count_t;
#define MEAN_PACKETS_FRACTION_BITS 12
#define COUNT_PER_BYTE_SHIFT (FRACTION_BITS - MEAN_PACKETS_FRACTION_BITS)

// Time in microseconds with 8 fractional bits, for transmission times below a microsecond.
typedef bit<40> transmission_q8_us_t;
#define TIME_FRACTION_BITS 8

// A queue that is not empty counts as idle when no packet has left it for 2^STALLED_SHIFT times the time that its packets
// would take. A queue that has to wait for others of its port stands still for shorter than that.
#define STALLED_SHIFT 10

// IPv4 gives its header's length in words of 32 bits.
#define WORD_TO_BYTES_SHIFT 2
#define WORD_TO_BITS_SHIFT 5
#define IPV4_HEADER_BYTES(ip) ((bit<16>) ip.ihl << WORD_TO_BYTES_SHIFT)

// Next hops of routes with several. A flow_t is a hash over the five-tuple, and the seed that makes it another one at each
// switch. Of the ports, source ++ destination, 0 stands for "none".
typedef bit<16> group_t;        // of next hops; 0: none
typedef bit<32> flow_t;
#define FLOW_BITS 32
#define FLOWS (64w1 << FLOW_BITS)
typedef bit<32> ports_t;
#define PORTS_OF(transport) (transport.first_octet ++ transport.rest[55:32])
#define GROUPS 1024
#define GROUP_NEXT_HOPS 64
#define NEXT_HOPS 65536
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_DCCP = 33;
const bit<8> PROTOCOL_SCTP = 132;
const bit<8> PROTOCOL_UDP_LITE = 136;
#define HAS_KNOWN_PORTS(protocol) (protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP || protocol == PROTOCOL_DCCP \
    || protocol == PROTOCOL_SCTP || protocol == PROTOCOL_UDP_LITE)
// A program for a transport protocol of its own says its number.
#ifdef OWN_PROTOCOL
#define HAS_PORTS(protocol) (HAS_KNOWN_PORTS(protocol) || protocol == OWN_PROTOCOL)
#else
#define HAS_PORTS(protocol) HAS_KNOWN_PORTS(protocol)
#endif

const bit<16> ETHERNET_BYTES = 14;
const bit<32> PACKET_OUT_BYTES = 2;

// A copy for the CPU holds packet_in, Ethernet, the longest IPv4 header, and at least 8 bytes behind it.
const bit<32> CPU_COPY_BYTES = 130;

#endif
