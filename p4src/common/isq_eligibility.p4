// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Packets about which a source quench may be sent, in both programs: RFC 1122 section 3.2.2, RFC 1812 section 4.3.2.7.

#ifndef QUENCH_ISQ_ELIGIBILITY_P4
#define QUENCH_ISQ_ELIGIBILITY_P4

#include "headers.p4"

// A packet that is not IPv4, or too short to be quoted, leaves `eligible` as it is.
control IsqEligibility(in ethernet_t ethernet, in ipv4_t ipv4, in transport_t transport, inout bit<1> eligible) {
    @id(0x01000030)
    action permit() {
        eligible = 1;
    }

    @id(0x01000031)
    action forbid() {
        eligible = 0;
    }

    // The first entry that matches decides.
    @id(0x02000030)
    table isq_eligibility {
        key = {
            ethernet.destination: ternary @id(1) @name("destination_mac");
            ipv4.source: ternary @id(2) @name("source");
            ipv4.destination: ternary @id(3) @name("destination");
            ipv4.fragment_offset: ternary @id(4) @name("fragment_offset");
            ipv4.protocol: ternary @id(5) @name("protocol");
            transport.first_octet: ternary @id(6) @name("icmp_type");
        }
        actions = {
            permit;
            forbid;
        }
        const entries = {
            // Link-layer broadcast and multicast, IP sources that are not a single host, IP multicast and broadcast.
            (0x010000000000 &&& 0x010000000000, _, _, _, _, _): forbid();
            (_, 0x00000000 &&& 0xff000000, _, _, _, _): forbid();
            (_, 0x7f000000 &&& 0xff000000, _, _, _, _): forbid();
            (_, 0xe0000000 &&& 0xe0000000, _, _, _, _): forbid();
            (_, _, 0xe0000000 &&& 0xe0000000, _, _, _): forbid();
            // No error about an ICMP error.
            (_, _, _, _, PROTOCOL_ICMP, ICMP_UNREACHABLE): forbid();
            (_, _, _, _, PROTOCOL_ICMP, ICMP_SOURCE_QUENCH): forbid();
            (_, _, _, _, PROTOCOL_ICMP, ICMP_REDIRECT): forbid();
            (_, _, _, _, PROTOCOL_ICMP, ICMP_TIME_EXCEEDED): forbid();
            (_, _, _, _, PROTOCOL_ICMP, ICMP_PARAMETER_PROBLEM): forbid();
            // Only the first fragment has the transport header, which identifies the flow.
            (_, _, _, 0, _, _): permit();
        }
        const default_action = forbid();
#ifdef __TARGET_TOFINO__
        // Tofino allocates by this size. For BMv2 p4c warns that a size has no effect beside constant entries.
        size = 11;
#endif
    }

    apply {
        if (ipv4.isValid() && transport.isValid()) {
            isq_eligibility.apply();
        }
    }
}

#endif
