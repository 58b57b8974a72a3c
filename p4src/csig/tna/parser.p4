// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From bytes to headers. Apart from v1model because each pipeline has its own parser; that of ingress also verifies the IPv4
// header checksum.

#ifndef CSIG_TNA_PARSER_P4
#define CSIG_TNA_PARSER_P4

#include "packet.p4"
#include "../parsing.p4"

// Nothing is counted: the target knows the length of a frame.
#define IGNORE_TAG(bytes)

parser CsigIngressParser(
        packet_in packet,
        out ingress_headers_t hdr,
        out ingress_metadata_t meta,
        out ingress_intrinsic_metadata_t intrinsic) {
    Checksum() checksum;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        meta.is_ip = 0;
        meta.checksum_error = false;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TAG_TYPES
            IP_TYPES
        }
    }

    PARSE_TAGS(IGNORE_TAG, IP_TYPES)

    PARSE_CHECKED_IPV4

    state parse_ipv4_payload {
        meta.is_ip = 1;
        // True if the sum is wrong.
        meta.checksum_error = checksum.verify();
        transition accept;
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        transition select(hdr.ipv6.version, hdr.ipv6.next_header, hdr.ipv6.payload_length) {
            (IPV6_VERSION, PROTOCOL_HOP_BY_HOP, 0): accept;    // a jumbogram (RFC 2675)
            (IPV6_VERSION, _, _): accept_ipv6;
            default: accept;
        }
    }

    state accept_ipv6 {
        meta.is_ip = 1;
        transition accept;
    }
}

#define NOTHING \
            default: accept;

// Settings are written by the first table of egress.
@noWarn("uninitialized-out-param")
parser CsigEgressParser(
        packet_in packet,
        out egress_headers_t hdr,
        out egress_metadata_t meta,
        out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.bridge);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TAG_TYPES
            NOTHING
        }
    }

    PARSE_TAGS(IGNORE_TAG, NOTHING)
}

#endif
