// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths, formats and numbers that only the TNA program has. The others are in ../common/types.p4.

#ifndef QUENCH_TNA_TYPES_P4
#define QUENCH_TNA_TYPES_P4

// The PCIe port of a Tofino with four pipes, and of its model; 192 with two pipes.
#ifndef CPU_PORT_NUMBER
#define CPU_PORT_NUMBER 320
#endif

#define TARGET_QUEUE_BITS 5     // a QueueId_t

#include "../common/types.p4"

// Tofino measures queues in cells of 80 bytes. An average_t counts packets with 16 fractional bits. Here "a packet" is 16
// cells, 1280 bytes. So the match key, packets with 4 fractional bits, counts cells.
typedef bit<32> tna_average_t;      // the low 32 bits of an average_t: 2^19 cells fit
#define CELLS_TO_AVERAGE_SHIFT 12
#define AVERAGE_KEY_OF(average) average[31:CELLS_TO_AVERAGE_SHIFT]    // keys of a range are at most 20 bits wide
#define PACKETS_OF(depth_cells) depth_cells[18:4]

// The ports and the queue of a packet, in the format of packet_in: ingress port ++ egress port ++ queue ++ 3 zero bits.
typedef bit<24> ports_and_queue_t;
#define QUEUE_INDEX_OF(ports_and_queue) ports_and_queue[14:3]    // a queue_index_t
#define EGRESS_PORT_OF(ports_and_queue) ports_and_queue[14:6]
#define QUEUE_OF(qid) qid[2:0]

// The chip's clock counts nanoseconds. The time of packet_in counts 1024 ns, that of a state 65536 ns.
typedef bit<48> time_ns_t;
#define TIME_HIGH_OF(time_ns) time_ns[47:42]
#define TIME_LOW_OF(time_ns) time_ns[41:10]
#define STATE_STAMP_OF(time_ns) time_ns[47:16]

// 128 * log2(x), so that a product is a sum. A sum below 4096 is the code of a reach, 2^(code / 128).
typedef bit<16> log_t;
#define REACH_CODES 4096

// Bytes, or in packet mode sixteenths of a packet: less than any packet's bytes, so that the smaller of two is the size.
typedef int<32> count_t;
const bit<32> LONGEST_REACH = 0x80000000;      // as a negative number

// Random numbers, by their first bit that is set and the five bits behind it.
#define NUMBER_BITS 20
#define NUMBER_CODES 512

// The way in which a row of the curve selects packets for one mark level.
enum bit<2> selection_t {
    NEVER   = 0,
    BY_DRAW = 1,
    ALWAYS  = 2
}

// The decision that a packet takes part in.
enum bit<2> decision_kind_t {
    NONE              = 0,   // the packet is marked already
    DROP              = 1,   // ingress: selected packets are dropped
    MARK_ON_ARRIVAL   = 2,   // ingress: selected packets are marked
    MARK_ON_DEPARTURE = 3    // egress: selected packets are marked
}

// Whether a selected packet causes a source quench.
enum bit<3> isq_outcome_t {
    NONE          = 0,
    SEND          = 1,
    IPV6          = 2,   // there is no source quench about this packet of IPv6
    ONCE_PER_PATH = 3,   // a switch upstream has sent one
    REFUSED       = 4    // RFC 1122 and RFC 1812 forbid it
}

// The first byte of a packet inside the switch: the kind of packet behind it.
enum bit<8> kind_t {
    PACKET   = 1,        // a packet, from ingress
    CPU_COPY = 2,        // a copy that becomes a packet-in
    ISQ      = 3,        // a copy that becomes a source quench
    STATE    = 4,        // a queue's state, from egress to ingress
    CNP      = 5         // a copy that becomes a CNP, or ICMPv6 about RoCEv2
}

// All mirrors have one format. Their session determines where they go.
const MirrorType_t MIRROR_COPY = 1;

// CPU_SESSION leads to the CPU port. Copies that become source quenches go to the recirculation port. The low four
// bits of their session are the IPv4 header length, because a session truncates at one length; 0 is that of IPv6. States go
// to ingress of every pipe.
const MirrorId_t CPU_SESSION = (MirrorId_t) (bit<10>) CPU_CLONE_SESSION;
const MirrorId_t STATE_SESSION = 101;
const MirrorId_t ISQ_SESSIONS = 112;
const MirrorId_t CNP_SESSIONS = 128;
const MirrorId_t IPV6_CNP_SESSION = 128;

// Port 68 of every pipe recirculates.
const port_t RECIRCULATION_PORT = 68;
const port_t RECIRCULATION_PORT_MASK = 0x07f;

const bit<8> METER_COLOR_RED = 3;

const ecn_t ECN_ECT1 = 0b01;

// The time after which ingress takes a queue for empty: 10 ms, in the unit of a state's stamp.
const bit<32> STATE_LIFETIME = 153;

// Rows of both curves, and sizes of packets.
#define TNA_CURVE_ROWS 1024
#define SIZE_CLASSES 256

#endif
