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
typedef bit<8>  level_t;
typedef bit<16> advice_t;       // a reduction in percent, or with the first bit a pause in microseconds; 0: none
typedef bit<6>  dscp_t;
typedef bit<24> report_depth_t; // packets, as packet_in has them
typedef bit<32> report_average_t;

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
#define DOMAIN_PREFIXES 128       // twice what a controller may want: a change needs old and new ones

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
const bit<8>  PROTOCOL_UDP = 17;
const bit<8>  PROTOCOL_ICMPV6 = 58;
const bit<8>  PROTOCOL_HOP_BY_HOP = 0;          // next headers of IPv6
const bit<8>  PROTOCOL_ROUTING = 43;
const bit<8>  PROTOCOL_FRAGMENT = 44;
const bit<8>  PROTOCOL_DESTINATION_OPTIONS = 60;

const bit<8> ICMP_UNREACHABLE = 3;        // RFC 792
const bit<8> ICMP_SOURCE_QUENCH = 4;
const bit<8> ICMPV6_SOURCE_QUENCH = 100;  // an error for experiments (RFC 4443 section 2.1): none is assigned
const bit<8> ICMP_REDIRECT = 5;
const bit<8> ICMP_TIME_EXCEEDED = 11;
const bit<8> ICMP_PARAMETER_PROBLEM = 12;
// The maximum, so that a host can compute the distance of an ISQ's origin (RFC 5082).
const bit<8> ISQ_TTL = 255;
// A source quench has its level and its advice in the word that RFC 792 and RFC 4443 leave unused. A bit in front says that the packet was
// marked and not dropped.
#define ISQ_LEVEL_OF(rest) rest[31:24]
#define ISQ_MARKED_OF(rest) rest[31:31]
#define ISQ_ADVICE_OF(rest) rest[15:0]
const bit<3> IPV4_DONT_FRAGMENT = 0b010;
const bit<3> IPV4_MORE_FRAGMENTS = 0b001;
const bit<4> IPV4_VERSION = 4;
const bit<4> IPV4_WORDS = 5;              // the header's length without options, in words of 32 bits
const bit<4> IPV6_VERSION = 6;
const bit<16> IPV4_BYTES = 20;
const bit<16> IPV6_BYTES = 40;
const bit<16> ICMP_BYTES = 8;
const bit<16> TRANSPORT_BYTES = 8;        // of header transport_t
const bit<16> BTH_BYTES = 12;
const bit<16> ISQ_ICMPV6_BYTES = ICMP_BYTES + IPV6_BYTES + TRANSPORT_BYTES + BTH_BYTES;
const dscp_t DSCP_PRECEDENCE = 0b111000;  // RFC 2474 section 4.2.2

const ecn_t ECN_NOT_ECT = 0b00;
const ecn_t ECN_CE      = 0b11;

// RoCEv2 (InfiniBand Architecture, annex A17): a base transport header (BTH) behind UDP.
const bit<16> ROCE_PORT = 4791;
// Port and length of a datagram to that port, and of one that does not hold a BTH.
#define TO_ROCE_PORT (ROCE_PORT, _)
#define TO_ROCE_PORT_BELOW_16 (ROCE_PORT, 0 &&& 0xfff0)
#define TO_ROCE_PORT_BELOW_20 (ROCE_PORT, 0x10 &&& 0xfffc)
const dscp_t CNP_DSCP = 48;               // that of network cards
const bit<8> BTH_CNP = 0x81;              // the opcode of a congestion notification packet

// The begin of a Fast CNP's destination options: next header UDP, 24 bytes, PadN with 2 bytes, an option of 16 bytes. Its type is
// one for experiments (RFC 4727), because none is assigned; hosts that do not know it skip it.
typedef bit<64> options_start_t;
const options_start_t FAST_CNP_START = 0x1102010200001e10;

// The form of a source quench.
enum bit<2> isq_format_t {
    NONE     = 0,    // none may be sent
    ICMP     = 1,
    CNP      = 2,
    FAST_CNP = 3
}

// The result of the decision about one packet.
enum bit<3> verdict_t {
    NONE        = 0,
    MARK1       = 1,
    MARK2       = 2,
    DROP_EARLY  = 3,
    DROP_FORCED = 4
}

// The reason for a copy of a packet to the CPU.
enum bit<8> reason_t {
    MARKED         = 1,
    DROPPED_EARLY  = 2,
    DROPPED_FORCED = 3,
    QUEUE_REPORT   = 4
}

#endif
