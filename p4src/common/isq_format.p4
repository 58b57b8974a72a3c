// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The form of a source quench about a packet: ICMP, or for RoCEv2 a congestion notification packet (CNP).
//
// Source quenches stay within a domain, which is prefixes of hosts and switches: no packet from elsewhere causes one, and no
// source quench from elsewhere comes in. Until the controller has written prefixes, all is the domain, with ICMP.

#ifndef QUENCH_ISQ_FORMAT_P4
#define QUENCH_ISQ_FORMAT_P4

#include "headers.p4"

// `roce_format` is the form for data packets of RoCEv2 from this source; ICMP: as for other packets, which IPv6 lacks.
control IsqDomain(
        in ipv4_t ipv4,
        in ipv6_t ipv6,
        out bit<1> is_inside,
        out isq_format_t roce_format,
        out bit<1> sender_knows) {
    @id(0x01000032)
    action inside(
            @id(1) isq_format_t format,
            @id(2) @name("sender_knows") bit<1> knows) {
        is_inside = 1;
        roce_format = format;
        sender_knows = knows;
    }

    @id(0x01000033)
    action outside() {
        is_inside = 0;
        roce_format = isq_format_t.NONE;
        sender_knows = 0;
    }

    @id(0x02000032)
    table ipv4_domain {
        key = {
            ipv4.source: lpm @id(1) @name("source");
        }
        actions = {
            inside;
            outside;
        }
        default_action = inside(isq_format_t.ICMP, 0);
        size = DOMAIN_PREFIXES;
    }

    @id(0x02000033)
    table ipv6_domain {
        key = {
            ipv6.source: lpm @id(1) @name("source");
        }
        actions = {
            inside;
            outside;
        }
        default_action = inside(isq_format_t.ICMP, 0);
        size = DOMAIN_PREFIXES;
    }

    apply {
        if (ipv4.isValid()) {
            ipv4_domain.apply();
        } else {
            ipv6_domain.apply();
        }
    }
}

// Whether a packet is data of a queue pair about which its sender may be told. What RFC 1122 and RFC 1812 say of an ICMP source
// quench about IPv4 holds for a CNP, too: `eligible` is that answer for IPv4, and 0 for IPv6.
control RoceEligibility(in ethernet_t ethernet, in ipv6_t ipv6, in bth_t bth, inout bit<1> eligible) {
    action permit_ipv6() {
        eligible = 1;
    }

    action keep() {}

    action forbid() {
        eligible = 0;
    }

    // The first entry that matches decides.
    @id(0x02000034)
    table roce_eligibility {
        key = {
            bth.opcode: ternary @id(1) @name("opcode");
            ipv6.isValid(): ternary @id(2) @name("is_ipv6");
            ethernet.destination: ternary @id(3) @name("destination_mac");
            ipv6.source: ternary @id(4) @name("source");
            ipv6.destination: ternary @id(5) @name("destination");
        }
        actions = {
            permit_ipv6;
            keep;
            forbid;
        }
        const entries = {
            // CNPs, and what manufacturers define. Of datagrams the queue pair does not tell the flow.
            (0x80 &&& 0xe0, _, _, _, _): forbid();
            (0xc0 &&& 0xc0, _, _, _, _): forbid();
            (0x60 &&& 0xe0, _, _, _, _): forbid();
            // Without data of its sender: a request to read, acknowledgements, atomics, and what is reserved.
            (0x0c &&& 0x1f, _, _, _, _): forbid();
            (0x11 &&& 0x1f, _, _, _, _): forbid();
            (0x12 &&& 0x1e, _, _, _, _): forbid();
            (0x14 &&& 0x1e, _, _, _, _): forbid();
            (0x18 &&& 0x18, _, _, _, _): forbid();
            (_, false, _, _, _): keep();
            // As RFC 4443 section 2.4 (e) has it for errors of ICMPv6.
            (_, _, 0x010000000000 &&& 0x010000000000, _, _): forbid();
            (_, _, _, 0 &&& ~128w1, _): forbid();                            // unspecified, loopback
            (_, _, _, 128w0xff << 120 &&& 128w0xff << 120, _): forbid();     // multicast
            (_, _, _, 128w0xfe80 << 112 &&& 128w0xffc0 << 112, _): forbid(); // of one link
            (_, _, _, _, 128w0xff << 120 &&& 128w0xff << 120): forbid();
        }
        const default_action = permit_ipv6();
#ifdef __TARGET_TOFINO__
        // Tofino allocates by this size, as in isq_eligibility.p4.
        size = 14;
#endif
    }

    apply {
        roce_eligibility.apply();
    }
}

#endif
