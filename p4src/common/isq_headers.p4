// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The fields of an ICMP source quench (RFC 792) that are the same in all of them, in both programs, and its destination. About
// RoCEv2 over IPv6 it is an error of ICMPv6, which quotes the headers as far as the BTH.

#ifndef QUENCH_ISQ_HEADERS_P4
#define QUENCH_ISQ_HEADERS_P4

#include "headers.p4"

control IsqHeaders(inout ipv4_t isq_ipv4, inout icmp_t isq_icmp, in ipv4_t quoted) {
    // An action of its own: on Tofino one that counts too would need a hash beside its constants.
    action fill() {
        isq_ipv4.setValid();
        isq_ipv4.version = IPV4_VERSION;
        isq_ipv4.ihl = IPV4_WORDS;
        isq_ipv4.ecn = ECN_NOT_ECT;
        isq_ipv4.identification = 0;
        isq_ipv4.flags = IPV4_DONT_FRAGMENT;
        isq_ipv4.fragment_offset = 0;
        isq_ipv4.ttl = ISQ_TTL;
        isq_ipv4.protocol = PROTOCOL_ICMP;
        isq_ipv4.destination = quoted.source;
        isq_icmp.setValid();
        isq_icmp.type = ICMP_SOURCE_QUENCH;
        isq_icmp.code = 0;
        isq_icmp.rest = 0;
    }

    apply {
        fill();
    }
}

control IsqIpv6Headers(inout ipv6_t isq_ipv6, inout icmp_t isq_icmpv6, in ipv6_t quoted, in ipv6_address_t source) {
    action fill() {
        isq_ipv6.setValid();
        isq_ipv6.version = IPV6_VERSION;
        isq_ipv6.dscp = CNP_DSCP;
        isq_ipv6.ecn = ECN_NOT_ECT;
        isq_ipv6.flow_label = 0;
        isq_ipv6.payload_length = ISQ_ICMPV6_BYTES;
        isq_ipv6.next_header = PROTOCOL_ICMPV6;
        isq_ipv6.hop_limit = ISQ_TTL;
        isq_ipv6.source = source;
        isq_ipv6.destination = quoted.source;
        isq_icmpv6.setValid();
        isq_icmpv6.type = ICMPV6_SOURCE_QUENCH;
        isq_icmpv6.code = 0;
        isq_icmpv6.rest = 0;
    }

    apply {
        fill();
    }
}

#endif
