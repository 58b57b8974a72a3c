// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A port's settings, from the control plane, and the values that ingress hands to egress.

#ifndef DUALPI2_METADATA_P4
#define DUALPI2_METADATA_P4

#include "../datacentre/packet.p4"

// A probability in 2^-32. The largest one is certainty, but for one draw in 2^32.
typedef bit<32> probability32_t;
const probability32_t LARGEST_PROBABILITY = 0xffffffff;

// Microseconds: 16 s. All products of the controller fit into 64 bits.
typedef bit<24> delay_us_t;
const bit<32> LONGEST_DELAY_US = 0xffffff;
// A part of the probability for each microsecond of delay.
typedef bit<28> gain_t;

// The queue of packets with ECT(1) and CE (RFC 9331, section 5.1). That of all others is 0.
const queue_t L4S_QUEUE = FEEDBACK_QUEUE;

struct dualpi2_settings_t {
    delay_us_t target_us;
    bit<32>    update_us;         // the time between two steps of the probability
    gain_t     alpha;
    gain_t     beta;
    bit<8>     coupling;          // k of RFC 9332
    bit<32>    step_us;           // a packet that waited longer in the L4S queue is marked
    depth_t    step_pkts;         // if at least so many wait behind it
    bit<16>    mtu_bytes;
    bit<1>     is_early;          // packets are selected when they arrive, and not when they depart
}

struct metadata_t {
    parsed_t           parsed;
    bit<32>            counted_bytes;    // see datacentre/queue_bytes.p4
    bit<1>             is_managed;
    bit<1>             is_l4s;
    dualpi2_settings_t settings;
}

#endif
