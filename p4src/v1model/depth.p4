// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The depth of a queue at this moment, in place of its average, for profiles that ask for it: the bytes that wait, in packets
// of mean size. In ingress the packet has not entered the queue, in egress it has left it, and one in transmission does not
// count, so the depth is that of the packets before or behind this one. The average is kept all the same.

#ifndef QUENCH_DEPTH_P4
#define QUENCH_DEPTH_P4

#include "metadata.p4"

#ifdef QUENCH_EXTENDED

#define DEPTH_SHIFT (FRACTION_BITS - AVERAGE_FRACTION_BITS)
const product_t DEPTH_MAX = (1 << 48) - 1;    // of an average_t

// A profile without the factor leaves `average` as it is.
control PresentDepth(
        in port_t port,
        in queue_t queue,
        in profile_parameters_t profile,
        inout average_t average) {
    bit<32> depth_pkts;
    bit<32> depth_bytes;

    action look() {
        queue_depth(port, queue, depth_pkts, depth_bytes);
        product_t depth = ((product_t) depth_bytes * (product_t) profile.depth_per_byte) >> DEPTH_SHIFT;
        average = depth > DEPTH_MAX ? (average_t) DEPTH_MAX : (average_t) depth;
    }

    apply {
        if (profile.depth_per_byte != 0) {
            look();
        }
    }
}

#endif

#endif
