// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// About which packets a source quench may be sent: RFC 1122 section 3.2.2 and RFC 1812 section 4.3.2.7.

#ifndef QUENCH_TNA_QUOTABLE_P4
#define QUENCH_TNA_QUOTABLE_P4

#include "packet.p4"
#include "metadata.p4"

control Quotable(in ingress_headers_t hdr, inout metadata_t meta) {
    @id(0x01000030)
    action permit() {
        meta.quotable = 1;
    }

    @id(0x01000031)
    action forbid() {
        meta.quotable = 0;
    }

    // The first entry that fits decides.
    @id(0x02000030)
    table quotable {
        key = {
            hdr.ethernet.destination: ternary @id(1) @name("destination_mac");
            hdr.ipv4.source: ternary @id(2) @name("source");
            hdr.ipv4.destination: ternary @id(3) @name("destination");
            hdr.ipv4.fragment_offset: ternary @id(4) @name("fragment_offset");
            hdr.ipv4.protocol: ternary @id(5) @name("protocol");
            hdr.transport.first_octet: ternary @id(6) @name("icmp_type");
        }
        actions = {
            permit;
            forbid;
        }
        const entries = {
            // Broadcast and multicast, on the link or in IP; and what is no single host's address.
            (0x010000000000 &&& 0x010000000000, _, _, _, _, _): forbid();
            (_, 0x00000000 &&& 0xff000000, _, _, _, _): forbid();
            (_, 0x7f000000 &&& 0xff000000, _, _, _, _): forbid();
            (_, 0xe0000000 &&& 0xe0000000, _, _, _, _): forbid();
            (_, _, 0xe0000000 &&& 0xe0000000, _, _, _): forbid();
            // ICMP errors: unreachable, source quench, redirect, time exceeded, parameter problem.
            (_, _, _, _, PROTOCOL_ICMP, 3): forbid();
            (_, _, _, _, PROTOCOL_ICMP, 4): forbid();
            (_, _, _, _, PROTOCOL_ICMP, 5): forbid();
            (_, _, _, _, PROTOCOL_ICMP, 11): forbid();
            (_, _, _, _, PROTOCOL_ICMP, 12): forbid();
            // Only the first fragment begins with what identifies the flow.
            (_, _, _, 0, _, _): permit();
        }
        const default_action = forbid();
        size = 11;
    }

    apply {
        if (hdr.ipv4.isValid() && hdr.transport.isValid()) {
            quotable.apply();
        }
    }
}

#endif
