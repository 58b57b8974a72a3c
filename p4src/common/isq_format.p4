// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The form of a source quench about a packet: ICMP, or for RoCEv2 a congestion notification packet (CNP).
//
// Source quenches stay within a domain, which is prefixes of hosts and switches: no packet from elsewhere causes one, and no
// source quench from elsewhere comes in. Until the controller has written prefixes, all is the domain, with ICMP about IPv4.

#ifndef QUENCH_ISQ_FORMAT_P4
#define QUENCH_ISQ_FORMAT_P4

#include "headers.p4"

// `roce_format` is the form for data packets of RoCEv2 from this source; ICMP: as for other packets of IPv4, or ICMPv6.
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
        default_action = inside(isq_format_t.NONE, 0);
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

// Whether a packet is data of a queue pair of RoCEv2 about which its sender may be told, as far as isq_eligibility.p4 does not
// say it about IPv4.
control RoceEligibility(in ethernet_t ethernet, in ipv6_t ipv6, in bth_t bth, out bit<1> eligible) {
    action permit() {
        eligible = 1;
    }

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
            permit;
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
            (_, false, _, _, _): permit();
            // As RFC 4443 section 2.4 (e) has it for errors of ICMPv6.
            (_, _, 0x010000000000 &&& 0x010000000000, _, _): forbid();
            (_, _, _, 0 &&& ~128w1, _): forbid();                            // unspecified, loopback
            (_, _, _, 128w0xff << 120 &&& 128w0xff << 120, _): forbid();     // multicast
            (_, _, _, 128w0xfe80 << 112 &&& 128w0xffc0 << 112, _): forbid(); // of one link
            (_, _, _, _, 128w0xff << 120 &&& 128w0xff << 120): forbid();
        }
        const default_action = permit();
#ifdef __TARGET_TOFINO__
        // Tofino allocates by this size, as in isq_eligibility.p4.
        size = 14;
#endif
    }

    apply {
        eligible = 0;
        if (bth.isValid()) {
            roce_eligibility.apply();
        }
    }
}

// `eligible` is the answer of isq_eligibility.p4: what RFC 1122 and RFC 1812 say of an ICMP source quench about IPv4 holds for a
// CNP, too. The controller's own packets cause none.
control IsqFormat(
        in ipv4_t ipv4,
        in ipv6_t ipv6,
        in bth_t bth,
        in bool is_packet_out,
        in bit<1> eligible,
        in bit<1> roce_eligible,
        out bit<1> is_inside,
        out isq_format_t isq_format,
        out bit<1> sender_knows) {
    IsqDomain() isq_domain;

    isq_format_t roce_format;

    action use_none() {
        isq_format = isq_format_t.NONE;
    }

    action use_icmp() {
        isq_format = isq_format_t.ICMP;
    }

    action use_roce_format() {
        isq_format = roce_format;
    }

    // The first entry that matches decides. A table because Tofino has no stages for a chain of conditions.
    @id(0x02000035)
    table isq_format_of {
        key = {
            is_packet_out: ternary @id(1) @name("is_packet_out");
            is_inside: ternary @id(2) @name("is_inside");
            bth.isValid(): ternary @id(3) @name("is_roce");
            ipv6.isValid(): ternary @id(4) @name("is_ipv6");
            roce_format: ternary @id(5) @name("roce_format");
            eligible: ternary @id(6) @name("eligible");
            roce_eligible: ternary @id(7) @name("roce_eligible");
        }
        actions = {
            use_none;
            use_icmp;
            use_roce_format;
        }
        const entries = {
            (true, _, _, _, _, _, _): use_none();
            (_, 0, _, _, _, _, _): use_none();
            (_, _, false, _, _, 1, _): use_icmp();
            (_, _, false, _, _, _, _): use_none();
            (_, _, _, false, isq_format_t.ICMP, 1, _): use_icmp();
            (_, _, _, false, isq_format_t.ICMP, _, _): use_none();
            (_, _, _, _, _, _, 0): use_none();
            (_, _, _, false, _, 0, _): use_none();
        }
        const default_action = use_roce_format();
#ifdef __TARGET_TOFINO__
        size = 8;
#endif
    }

    apply {
        isq_domain.apply(ipv4, ipv6, is_inside, roce_format, sender_knows);
        isq_format_of.apply();
    }
}

#endif
