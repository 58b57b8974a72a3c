// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Every width and number that both programs and their controllers share.

#ifndef QUENCH_TYPES_P4
#define QUENCH_TYPES_P4

typedef bit<48> mac_address_t;
typedef bit<32> ipv4_address_t;
typedef bit<128> ipv6_address_t;

typedef bit<9>  port_t;
typedef bit<3>  queue_t;
typedef bit<12> queue_index_t;  // port ++ queue: the index into every per-queue array
typedef bit<19> depth_t;        // packets, as the target reports the queue
typedef bit<48> time_us_t;
typedef bit<16> profile_t;
typedef bit<2>  ecn_t;
typedef bit<8>  reason_t;
typedef bit<8>  level_t;
typedef bit<6>  dscp_t;

// The width in which the architecture's metadata has the queue.
#ifndef TARGET_QUEUE_BITS
#define TARGET_QUEUE_BITS 3
#endif
typedef bit<TARGET_QUEUE_BITS> target_queue_t;

#define MAX_PORTS 512
#define MAX_QUEUES 4096
#define ROUTES 1024
#define PROFILES 1024
#define CURVE_SEGMENTS 8192
#define CLASSES 64

#ifndef CPU_PORT_NUMBER
#define CPU_PORT_NUMBER 510
#endif
const port_t CPU_PORT = CPU_PORT_NUMBER;

const bit<32> CPU_CLONE_SESSION = 100;

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<16> ETHERTYPE_IPV6 = 0x86dd;
const bit<16> ETHERTYPE_VLAN = 0x8100;          // IEEE 802.1Q
const bit<16> ETHERTYPE_SERVICE_VLAN = 0x88a8;  // IEEE 802.1ad
const bit<8>  PROTOCOL_ICMP = 1;
const bit<8>  PROTOCOL_HOP_BY_HOP = 0;          // next header of IPv6

const bit<8> ICMP_SOURCE_QUENCH = 4;  // RFC 792
// The maximum, so that a host can compute the distance of an ISQ's origin (RFC 5082).
const bit<8> ISQ_TTL = 255;
const bit<3> IPV4_DONT_FRAGMENT = 0b010;

const ecn_t ECN_NOT_ECT = 0b00;
const ecn_t ECN_CE      = 0b11;

// The result of the decision about one packet.
typedef bit<3> verdict_t;
const verdict_t VERDICT_NONE        = 0;
const verdict_t VERDICT_MARK1       = 1;
const verdict_t VERDICT_MARK2       = 2;
const verdict_t VERDICT_DROP_EARLY  = 3;
const verdict_t VERDICT_DROP_FORCED = 4;

// The reason for a copy of a packet to the CPU.
const reason_t REASON_MARKED         = 1;
const reason_t REASON_DROPPED_EARLY  = 2;
const reason_t REASON_DROPPED_FORCED = 3;
const reason_t REASON_QUEUE_REPORT   = 4;

#endif
