// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From bytes to headers. Apart from v1model because each pipeline has its own parser; that of ingress also verifies the
// IPv4 header checksum.

#ifndef QUENCH_TNA_PARSER_P4
#define QUENCH_TNA_PARSER_P4

#include "packet.p4"
#include "options.p4"
#include "metadata.p4"

// Each step of ingress and egress writes its fields of the metadata before a later one reads them. Here are only those that
// are read where no step may have written them: each write takes a part of the parser.
@noWarn("uninitialized-out-param")
parser QuenchIngressParser(
        packet_in packet,
        out ingress_headers_t hdr,
        out metadata_t meta,
        out ingress_intrinsic_metadata_t intrinsic) {
    Checksum() checksum;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        meta.is_ip = 0;
        meta.checksum_error = false;
        meta.is_isq = 0;
        meta.isq_format = isq_format_t.NONE;
        meta.sender_knows = 0;
        meta.routed = 0;
        meta.profile.active = 0;
        transition select(intrinsic.ingress_port) {
            CPU_PORT: parse_packet_out;
            RECIRCULATION_PORT &&& RECIRCULATION_PORT_MASK: parse_recirculated;
            default: parse_ethernet;
        }
    }

    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_ethernet;
    }

    state parse_recirculated {
        transition select(packet.lookahead<kind_t>()) {
            kind_t.STATE: parse_state;
            kind_t.ISQ: parse_source_quench;
            default: accept;
        }
    }

    state parse_state {
        packet.extract(hdr.state);
        transition accept;
    }

    state parse_source_quench {
        packet.extract(hdr.recirculated);
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

    PARSE_CHECKED_IPV4

    state parse_ipv4_payload {
        meta.is_ip = 1;
        // True if the sum is wrong.
        meta.checksum_error = checksum.verify();
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

    state parse_icmp {
        transition select(packet.lookahead<bit<8>>()) {
            ICMP_SOURCE_QUENCH: parse_hidden_isq;
            default: parse_transport;
        }
    }

    state parse_hidden_isq {
        meta.is_isq = 1;
        transition parse_transport;
    }

    state parse_udp {
        transition select(packet.lookahead<bit<64>>()[47:32], packet.lookahead<bit<64>>()[31:16]) {
            TO_ROCE_PORT_BELOW_16: parse_hidden_isq;
            TO_ROCE_PORT_BELOW_20: parse_hidden_isq;
            TO_ROCE_PORT: parse_roce;
            default: parse_transport;
        }
    }

    state parse_roce {
        packet.extract(hdr.transport);
        packet.extract(hdr.bth);
        transition select(hdr.bth.opcode) {
            BTH_CNP: note_isq;
            default: accept;
        }
    }

    // RoCEv2 is not fragmented: a CNP may hide here.
    state parse_first_fragment {
        transition select(packet.lookahead<bit<64>>()[47:32], packet.lookahead<bit<64>>()[31:16]) {
            TO_ROCE_PORT: parse_hidden_isq;
            default: parse_transport;
        }
    }

    state note_isq {
        meta.is_isq = 1;
        transition accept;
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        transition select(hdr.ipv6.version, hdr.ipv6.next_header, hdr.ipv6.payload_length) {
            (IPV6_VERSION, PROTOCOL_HOP_BY_HOP, 0): accept;    // a jumbogram (RFC 2675)
            (IPV6_VERSION, PROTOCOL_UDP, _): parse_ipv6_udp;
            (IPV6_VERSION, PROTOCOL_ICMPV6, _): parse_icmpv6;
            (IPV6_VERSION, PROTOCOL_HOP_BY_HOP, _): parse_extension;
            (IPV6_VERSION, PROTOCOL_ROUTING, _): parse_extension;
            (IPV6_VERSION, PROTOCOL_FRAGMENT, _): parse_fragment;
            (IPV6_VERSION, PROTOCOL_DESTINATION_OPTIONS, _): parse_extension;
            (IPV6_VERSION, _, _): accept_ipv6;
            default: accept;
        }
    }

    state accept_ipv6 {
        meta.is_ip = 1;
        transition accept;
    }

    state parse_ipv6_udp {
        meta.is_ip = 1;
        transition select(packet.lookahead<bit<64>>()[47:32], packet.lookahead<bit<64>>()[31:16]) {
            TO_ROCE_PORT_BELOW_16: note_isq;
            TO_ROCE_PORT_BELOW_20: note_isq;
            TO_ROCE_PORT: parse_roce;
            default: accept;
        }
    }

    state parse_icmpv6 {
        meta.is_ip = 1;
        transition select(packet.lookahead<bit<8>>()) {
            ICMPV6_SOURCE_QUENCH: note_isq;
            default: accept;
        }
    }

    // A Fast CNP has destination options, whose padding may be any. So whatever leads to UDP counts as one.
    state parse_extension {
        meta.is_ip = 1;
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
            (PROTOCOL_ICMPV6, _): accept_ipv6;
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

@noWarn("uninitialized-out-param")
parser QuenchEgressParser(
        packet_in packet,
        out egress_headers_t hdr,
        out metadata_t meta,
        out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition select(packet.lookahead<kind_t>()) {
            kind_t.PACKET: parse_bridge;
            kind_t.CPU_COPY: parse_cpu_copy;
            kind_t.ISQ: parse_copy;
            kind_t.CNP: parse_cnp_copy;
            default: accept;            // kind_t.STATE: ingress reads it
        }
    }

    state parse_bridge {
        packet.extract(hdr.bridge);
        transition parse_ethernet;
    }

    // A packet_in follows the kind and the padding.
    state parse_cpu_copy {
        packet.advance(COPY_PREFIX_BITS);
        packet.extract(hdr.packet_in);
        transition accept;
    }

    state parse_copy {
        packet.extract(hdr.copy);
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
        // Ingress has looked at the total length, but of a packet of the controller's own.
        transition select(hdr.ipv4.version, hdr.ipv4.ihl) {
            IPV4_OPTIONS_BY_LENGTH(ALONE)
        }
    }

    PARSE_IPV4_OPTIONS(IGNORE_OPTION)

    state parse_ipv4_payload {
        packet.extract(hdr.transport);
        transition accept;
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        transition accept;
    }

    // A copy that becomes a CNP, or ICMPv6 about RoCEv2: IPv4 options do not go on.
    state parse_cnp_copy {
        packet.extract(hdr.copy);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_cnp_ipv4;
            default: parse_cnp_ipv6;
        }
    }

    state parse_cnp_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl) {
            5: parse_cnp_roce;
            6: skip_option1;
            7: skip_option2;
            8: skip_option3;
            9: skip_option4;
            10: skip_option5;
            11: skip_option6;
            12: skip_option7;
            13: skip_option8;
            14: skip_option9;
            15: skip_option10;
            default: accept;
        }
    }

    state skip_option10 { packet.advance(32); transition skip_option9; }
    state skip_option9 { packet.advance(32); transition skip_option8; }
    state skip_option8 { packet.advance(32); transition skip_option7; }
    state skip_option7 { packet.advance(32); transition skip_option6; }
    state skip_option6 { packet.advance(32); transition skip_option5; }
    state skip_option5 { packet.advance(32); transition skip_option4; }
    state skip_option4 { packet.advance(32); transition skip_option3; }
    state skip_option3 { packet.advance(32); transition skip_option2; }
    state skip_option2 { packet.advance(32); transition skip_option1; }
    state skip_option1 { packet.advance(32); transition parse_cnp_roce; }

    state parse_cnp_ipv6 {
        packet.extract(hdr.ipv6);
        transition parse_cnp_roce;
    }

    state parse_cnp_roce {
        packet.extract(hdr.transport);
        packet.extract(hdr.bth);
        transition accept;
    }
}

#endif
