// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The headers of a congestion notification packet of RoCEv2 (InfiniBand Architecture, annex A17.9), in both programs, out of
// those of a copy of the data packet that it is about. Its queue pair is the data packet's destination, so the sender finds its
// own by that and the destination's address: a Fast CNP has that in an option, and a CNP in bytes that InfiniBand reserves.
// Advice is in the sequence number, which a CNP does not need.

#ifndef QUENCH_CNP_HEADERS_P4
#define QUENCH_CNP_HEADERS_P4

#include "headers.p4"

// Behind the IP header or the options: UDP, BTH, the reserved bytes and the ICRC.
const bit<16> CNP_UDP_BYTES = 40;
const bit<16> FAST_CNP_OPTIONS_BYTES = 24;
const bit<96> IPV4_MAPPED = 0xffff;         // RFC 4291 section 2.5.5.2

// The options of an IPv4 header and the ICRC are left to the program.
control CnpHeaders(
        in isq_format_t format,
        in advice_t advice,
        in ipv4_address_t source,
        in ipv6_address_t ipv6_source,
        inout ipv4_t ipv4,
        inout ipv6_t ipv6,
        inout fast_cnp_t fast_cnp,
        inout transport_t transport,
        inout bth_t bth,
        inout cnp_t cnp) {
    action turn_ipv4() {
        cnp.original_destination[127:32] = IPV4_MAPPED;
        cnp.original_destination[31:0] = ipv4.destination;
        ipv4.ihl = IPV4_WORDS;
        ipv4.dscp = CNP_DSCP;
        ipv4.ecn = ECN_NOT_ECT;
        ipv4.total_length = IPV4_BYTES + CNP_UDP_BYTES;
        ipv4.identification = 0;
        ipv4.flags = IPV4_DONT_FRAGMENT;
        ipv4.ttl = ISQ_TTL;
        ipv4.destination = ipv4.source;
        ipv4.source = source;
    }

    action turn_ipv6() {
        ipv6.dscp = CNP_DSCP;
        ipv6.ecn = ECN_NOT_ECT;
        ipv6.flow_label = 0;
        ipv6.hop_limit = ISQ_TTL;
        ipv6.destination = ipv6.source;
        ipv6.source = ipv6_source;
    }

    action make_plain() {
        cnp.original_destination = ipv6.destination;
        ipv6.payload_length = CNP_UDP_BYTES;
    }

    action make_fast() {
        fast_cnp.setValid();
        fast_cnp.start = FAST_CNP_START;
        fast_cnp.original_destination = ipv6.destination;
        cnp.original_destination = 0;
        ipv6.payload_length = FAST_CNP_OPTIONS_BYTES + CNP_UDP_BYTES;
        ipv6.next_header = PROTOCOL_DESTINATION_OPTIONS;
    }

    action notify() {
        cnp.setValid();
        // Length and checksum.
        transport.rest[31:16] = CNP_UDP_BYTES;
        transport.rest[15:0] = 0;
        bth.opcode = BTH_CNP;
        bth.solicited = 0;
        bth.migration = 0;
        bth.pad_count = 0;
        bth.version = 0;
        bth.fecn = 0;
        bth.becn = 1;
        bth.reserved = 0;
        bth.acknowledge = 0;
        bth.reserved2 = 0;
        bth.sequence = (bit<24>) advice;
    }

    apply {
        notify();
        if (ipv4.isValid()) {
            turn_ipv4();
        } else {
            if (format == isq_format_t.FAST_CNP) {
                make_fast();
            } else {
                make_plain();
            }
            turn_ipv6();
        }
    }
}

#endif
