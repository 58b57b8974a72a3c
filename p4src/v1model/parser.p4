// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From bytes to headers. `is_ip` stays 0 for a packet with an invalid IP header, and ingress drops it.

#ifndef QUENCH_PARSER_P4
#define QUENCH_PARSER_P4

#include "packet.p4"
#include "metadata.p4"

error {
    Ipv4BadVersion,
    Ipv4HeaderTooShort,
    Ipv6BadVersion
}

parser QuenchParser(
        packet_in packet,
        out headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    state start {
        transition select(standard_metadata.instance_type, standard_metadata.ingress_port) {
            (INSTANCE_NORMAL, CPU_PORT): parse_packet_out;
            default: parse_ethernet;
        }
    }

    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_ethernet;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == IPV4_VERSION, error.Ipv4BadVersion);
        verify(hdr.ipv4.ihl >= IPV4_WORDS, error.Ipv4HeaderTooShort);
        meta.dscp = hdr.ipv4.dscp;
        meta.ecn = hdr.ipv4.ecn;
        meta.ip_bytes = hdr.ipv4.total_length;
        transition select(hdr.ipv4.ihl) {
            IPV4_WORDS: parse_ipv4_payload;
            default: parse_ipv4_options;
        }
    }

    state parse_ipv4_options {
        packet.extract(hdr.ipv4_options, (bit<32>) (hdr.ipv4.ihl - IPV4_WORDS) << WORD_TO_BITS_SHIFT);
        transition parse_ipv4_payload;
    }

    state parse_ipv4_payload {
        meta.is_ip = 1;
        transition select(hdr.ipv4.protocol, hdr.ipv4.flags, hdr.ipv4.fragment_offset) {
            (PROTOCOL_UDP, 0 &&& IPV4_MORE_FRAGMENTS, 0): parse_udp;
            (PROTOCOL_UDP, _, 0): parse_first_fragment;
            (PROTOCOL_ICMP, _, 0): parse_icmp;
            default: parse_transport;
        }
    }

    state parse_transport {
        packet.extract(hdr.transport);
        transition accept;
    }

    state parse_udp {
        packet.extract(hdr.transport);
        transition select(hdr.transport.rest[47:32], hdr.transport.rest[31:16]) {
            TO_ROCE_PORT_BELOW_16: note_isq;
            TO_ROCE_PORT_BELOW_20: note_isq;
            TO_ROCE_PORT: parse_bth;
            default: accept;
        }
    }

    state parse_bth {
        packet.extract(hdr.bth);
        transition select(hdr.bth.opcode) {
            BTH_CNP: note_isq;
            default: accept;
        }
    }

    // RoCEv2 is not fragmented: a CNP may hide here.
    state parse_first_fragment {
        packet.extract(hdr.transport);
        transition select(hdr.transport.rest[47:32], hdr.transport.rest[31:16]) {
            TO_ROCE_PORT: note_isq;
            default: accept;
        }
    }

    state parse_icmp {
        packet.extract(hdr.transport);
        transition select(hdr.transport.first_octet) {
            ICMP_SOURCE_QUENCH: note_isq;
            default: accept;
        }
    }

    state note_isq {
        meta.is_isq = 1;
        transition accept;
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        verify(hdr.ipv6.version == IPV6_VERSION, error.Ipv6BadVersion);
        meta.is_ip = 1;
        meta.dscp = hdr.ipv6.dscp;
        meta.ecn = hdr.ipv6.ecn;
        meta.ip_bytes = hdr.ipv6.payload_length |+| IPV6_BYTES;
        transition select(hdr.ipv6.next_header) {
            PROTOCOL_UDP: parse_udp;
            PROTOCOL_TCP: parse_transport;
            PROTOCOL_DCCP: parse_transport;
            PROTOCOL_SCTP: parse_transport;
            PROTOCOL_UDP_LITE: parse_transport;
            PROTOCOL_ICMPV6: parse_icmpv6;
            PROTOCOL_HOP_BY_HOP: parse_extension;
            PROTOCOL_ROUTING: parse_extension;
            PROTOCOL_FRAGMENT: parse_fragment;
            PROTOCOL_DESTINATION_OPTIONS: parse_extension;
            default: accept;
        }
    }

    state parse_icmpv6 {
        transition select(packet.lookahead<bit<8>>()) {
            ICMPV6_SOURCE_QUENCH: note_isq;
            default: accept;
        }
    }

    // A Fast CNP has destination options, whose padding may be any. So whatever leads to UDP counts as one.
    state parse_extension {
        transition select(packet.lookahead<bit<8>>()) {
            PROTOCOL_UDP: note_isq;
            PROTOCOL_ICMPV6: parse_icmpv6_behind;
            PROTOCOL_HOP_BY_HOP: note_isq;
            PROTOCOL_ROUTING: note_isq;
            PROTOCOL_FRAGMENT: note_isq;
            PROTOCOL_DESTINATION_OPTIONS: note_isq;
            default: accept;
        }
    }

    // Behind the header of a later fragment is no header.
    state parse_fragment {
        transition select(packet.lookahead<bit<32>>()[31:24], packet.lookahead<bit<32>>()[15:3]) {
            (PROTOCOL_ICMPV6, 0): parse_extension;
            (PROTOCOL_ICMPV6, _): accept;
            default: parse_extension;
        }
    }

    // The type is read if the extension header has 8 bytes, as that of a fragment has.
    state parse_icmpv6_behind {
        transition select(packet.lookahead<bit<72>>()[63:56], packet.lookahead<bit<72>>()[7:0]) {
            (0, ICMPV6_SOURCE_QUENCH): note_isq;
            (0, _): accept;
            default: note_isq;
        }
    }
}

#endif
