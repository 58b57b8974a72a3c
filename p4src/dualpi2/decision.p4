// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The decision about a packet by the base probability p': in the L4S queue with k p', in the classic queue with the square of p'.
//
// Overload is k p' > 1: marks cannot say more. Then both queues drop with the square of p', and the L4S queue marks all others.

#ifndef DUALPI2_DECISION_P4
#define DUALPI2_DECISION_P4

#include "mark.p4"

// Packets of both queues that were selected and dropped, and of the L4S queue alone.
@name(".port_dropped_early")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_early;
@name(".port_l4s_dropped_early")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_l4s_dropped_early;

control Decision(
        inout headers_t hdr,
        inout standard_metadata_t standard_metadata,
        in port_t port,
        in dualpi2_settings_t settings,
        in bit<1> is_l4s,
        in probability32_t probability,
        in depth_bytes_t waiting_bytes,
        out bit<1> dropped) {
    Mark() mark;

    probability32_t first;
    probability32_t second;
    bit<1> drops = 0;
    bit<1> marks = 0;

    apply {
        // Two packets of the largest size are no queue.
        if (waiting_bytes >= (depth_bytes_t) settings.mtu_bytes << 1) {
            bit<40> coupled = (bit<40>) probability * (bit<40>) settings.coupling;
            bit<1> is_overload = coupled > (bit<40>) LARGEST_PROBABILITY ? 1w1 : 1w0;
            random(first, 0, LARGEST_PROBABILITY);
            random(second, 0, LARGEST_PROBABILITY);
            if (first < probability && second < probability && (is_l4s == 0 || is_overload == 1)) {
                if (is_overload == 1 || ECN_OF(hdr) == ECN_NOT_ECT) {
                    drops = 1;
                } else {
                    marks = 1;
                }
            } else if (is_l4s == 1 && (bit<40>) first < coupled) {
                marks = 1;
            }
        }
        if (drops == 1) {
            port_dropped_early.count((bit<32>) port);
            if (is_l4s == 1) {
                port_l4s_dropped_early.count((bit<32>) port);
            }
            mark_to_drop(standard_metadata);
        } else if (marks == 1) {
            mark.apply(hdr, port, is_l4s);
        }
        dropped = drops;
    }
}

#endif
