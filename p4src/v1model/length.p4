// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The lengths of a packet against those of its frame. Apart from ingress.p4 for the programs of datacentre/.

#ifndef QUENCH_LENGTH_P4
#define QUENCH_LENGTH_P4

#include "../common/headers.p4"
#include "types.p4"

// RFC 1812 section 5.2.2: an IPv4 packet holds its header, and the frame holds the packet. IPv6 likewise; a payload length of
// 0 in front of a hop-by-hop header is a jumbogram's (RFC 2675), for which a frame is too short.
control CheckLength(in ipv4_t ipv4, in ipv6_t ipv6, in bit<32> frame_bytes, inout bit<1> is_ip) {
    apply {
        bit<32> needed = (bit<32>) ETHERNET_BYTES;
        bool is_whole;
        if (ipv4.isValid()) {
            needed = needed + (bit<32>) ipv4.total_length;
            is_whole = ipv4.total_length >= IPV4_HEADER_BYTES(ipv4);
        } else {
            needed = needed + (bit<32>) ipv6.payload_length + (bit<32>) IPV6_BYTES;
            is_whole = ipv6.payload_length != 0 || ipv6.next_header != PROTOCOL_HOP_BY_HOP;
        }
        if (!is_whole || needed > frame_bytes) {
            is_ip = 0;
        }
    }
}

#endif
