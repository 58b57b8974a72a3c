// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths, formats and numbers that only the Tofino program has. The rest is in ../types.p4, as for v1model.

#ifndef QUENCH_TNA_TYPES_P4
#define QUENCH_TNA_TYPES_P4

// The PCIe port of a Tofino with four pipes, and of its model; 192 with two pipes.
#ifndef CPU_PORT_NUMBER
#define CPU_PORT_NUMBER 320
#endif

#include "../types.p4"

// A queue is measured in cells of 80 bytes. As an average of type average_t counts packets with 16 fractional bits, here
// "a packet" is 16 cells, 1280 bytes: then the match key, packets with 4 fractional bits, counts cells.
typedef bit<32> tna_average_t;      // the low 32 bits of an average_t: 2^19 cells fit
#define CELLS_TO_AVERAGE_SHIFT 12

// Where a packet came from and where it goes, as packet_in has it: ingress port ++ egress port ++ queue ++ 3 zero bits.
typedef bit<24> place_t;
#define QUEUE_OF(place) place[14:3]    // a queue_index_t
#define EGRESS_PORT_OF(place) place[14:6]

// 128 * log2(x): here products are sums. The control plane adds up to 4095 as codes of steps, 2^(code / 128).
typedef bit<16> log_t;
#define STEP_CODES 4096

// By how far a packet moves a queue towards its next mark, scaled as a probability.
typedef bit<32> step_t;

// What a row of the curve says about one mark level.
typedef bit<2> choice_t;
const choice_t CHOICE_NEVER  = 0;
const choice_t CHOICE_DRAW   = 1;
const choice_t CHOICE_ALWAYS = 2;

// Which of the two decisions a packet belongs to.
typedef bit<2> duty_t;
const duty_t DUTY_NONE      = 0;   // it is marked already
const duty_t DUTY_DROP      = 1;   // ingress: chosen packets are dropped
const duty_t DUTY_ARRIVAL   = 2;   // ingress: chosen packets are marked
const duty_t DUTY_DEPARTURE = 3;   // egress: chosen packets are marked

typedef bit<3> verdict_t;
const verdict_t VERDICT_NONE        = 0;
const verdict_t VERDICT_MARK1       = 1;
const verdict_t VERDICT_MARK2       = 2;
const verdict_t VERDICT_DROP_EARLY  = 3;
const verdict_t VERDICT_DROP_FORCED = 4;

// Whether a chosen packet causes a source quench.
typedef bit<3> telling_t;
const telling_t TELLING_NOBODY  = 0;
const telling_t TELLING_SOURCE  = 1;
const telling_t TELLING_IPV6    = 2;   // there is no source quench for IPv6
const telling_t TELLING_TOLD    = 3;   // a switch upstream has sent one
const telling_t TELLING_REFUSED = 4;   // RFC 1122 and RFC 1812 forbid it

// The first byte between the pipelines: what follows it.
typedef bit<8> kind_t;
const kind_t KIND_PACKET   = 1;        // a packet, from ingress
const kind_t KIND_CPU_COPY = 2;        // a copy that becomes a packet-in
const kind_t KIND_ISQ      = 3;        // a copy that becomes a source quench
const kind_t KIND_STATE    = 4;        // a queue's state, from egress to ingress

// All mirrors look alike; their session says where they go.
const MirrorType_t MIRROR_COPY = 1;

// Session CPU_CLONE_SESSION is the CPU port. Copies that become quenches go to the recirculation port: the session's low
// four bits are the packet's header length, because a session cuts at one length. States go to ingress of every pipe.
const MirrorId_t STATE_SESSION = 101;
const MirrorId_t ISQ_SESSIONS = 112;

// Port 68 of every pipe recirculates.
const port_t RECIRCULATION_PORT = 68;
const port_t RECIRCULATION_PORT_MASK = 0x07f;

const bit<8> METER_COLOR_RED = 3;

// Rows of both curves, and sizes of packets.
#define TNA_CURVE_ROWS 1024
#define SIZE_CLASSES 256

#endif
