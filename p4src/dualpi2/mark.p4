// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A mark, and its counters. A packet that came with one keeps it, and is not counted.

#ifndef DUALPI2_MARK_P4
#define DUALPI2_MARK_P4

#include "metadata.p4"
#include "../common/marking.p4"

#define ECN_OF(hdr) (hdr.ipv4.isValid() ? hdr.ipv4.ecn : hdr.ipv6.ecn)

// Packets of both queues, and of the L4S queue alone.
@name(".port_marked")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_marked;
@name(".port_l4s_marked")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_l4s_marked;

control Mark(inout headers_t hdr, in port_t port, in bit<1> is_l4s) {
    Marking() marking;

    apply {
        if (ECN_OF(hdr) != ECN_CE) {
            marking.apply(hdr.ipv4, hdr.ipv6, ECN_CE);
            port_marked.count((bit<32>) port);
            if (is_l4s == 1) {
                port_l4s_marked.count((bit<32>) port);
            }
        }
    }
}

#endif
