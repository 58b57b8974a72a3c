// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From bytes to headers. `is_ip` stays 0 for a packet with an invalid IP header, and the router drops it. A program declares
// its metadata_t, with `parsed` in it, before it includes this file.

#ifndef QUENCH_DATACENTRE_PARSER_P4
#define QUENCH_DATACENTRE_PARSER_P4

#include "packet.p4"

// Headers between Ethernet and IP: ether types with their states, and the states.
#ifndef TAG_TYPES
#define TAG_TYPES
#define TAG_STATES
#endif

error {
    Ipv4BadVersion,
    Ipv4HeaderTooShort,
    Ipv6BadVersion
}

parser DatacentreParser(
        packet_in packet,
        out headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TAG_TYPES
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    TAG_STATES

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == IPV4_VERSION, error.Ipv4BadVersion);
        verify(hdr.ipv4.ihl >= IPV4_WORDS, error.Ipv4HeaderTooShort);
        meta.parsed.ip_bytes = (bit<32>) hdr.ipv4.total_length;
        transition select(hdr.ipv4.ihl) {
            IPV4_WORDS: parse_ipv4_payload;
            default: parse_ipv4_options;
        }
    }

    state parse_ipv4_options {
        packet.extract(hdr.ipv4_options, (bit<32>) (hdr.ipv4.ihl - IPV4_WORDS) << WORD_TO_BITS_SHIFT);
        meta.parsed.is_ip = 1;
        packet.extract(hdr.transport);
        transition accept;
    }

    // A packet that is cut short is routed all the same, without a header of its own.
    state parse_ipv4_payload {
        meta.parsed.is_ip = 1;
        packet.extract(hdr.transport);
        transition select(hdr.ipv4.protocol, hdr.ipv4.flags, hdr.ipv4.fragment_offset) {
#ifdef OWN_PROTOCOL
            (OWN_PROTOCOL, 0 &&& IPV4_MORE_FRAGMENTS, 0): parse_signal;
#endif
            default: accept;
        }
    }

#ifdef OWN_PROTOCOL
    state parse_signal {
        packet.extract(hdr.signal);
#ifdef HAS_TELEMETRY
        packet.extract(hdr.telemetry);
#endif
        transition accept;
    }
#endif

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        verify(hdr.ipv6.version == IPV6_VERSION, error.Ipv6BadVersion);
        meta.parsed.is_ip = 1;
        meta.parsed.ip_bytes = (bit<32>) hdr.ipv6.payload_length + (bit<32>) IPV6_BYTES;
        transition select(hdr.ipv6.next_header) {
            PROTOCOL_TCP: parse_ipv6_payload;
            PROTOCOL_UDP: parse_ipv6_payload;
            PROTOCOL_DCCP: parse_ipv6_payload;
            PROTOCOL_SCTP: parse_ipv6_payload;
            PROTOCOL_UDP_LITE: parse_ipv6_payload;
            default: accept;
        }
    }

    state parse_ipv6_payload {
        packet.extract(hdr.transport);
        transition accept;
    }
}

#endif
