// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The way of a packet: is it right, where does it go, and in which queue does it wait? As in quench.p4, a packet that is not
// IP, not right or without a route is dropped.

#ifndef QUENCH_DATACENTRE_ROUTER_P4
#define QUENCH_DATACENTRE_ROUTER_P4

#include "packet.p4"
#include "../common/routing.p4"
#include "../v1model/length.p4"
#include "../v1model/next_hop.p4"

// The headers of a transport that has one of its own, without options of IPv4.
#ifdef HAS_TELEMETRY
const bit<16> LEAST_OWN_BYTES = IPV4_BYTES + TRANSPORT_BYTES + SIGNAL_BYTES + TELEMETRY_BYTES;
#elif defined(OWN_HEADER)
const bit<16> LEAST_OWN_BYTES = IPV4_BYTES + TRANSPORT_BYTES + SIGNAL_BYTES;
#endif

// By the port that a packet came by: an IP header or length is wrong.
@name(".port_dropped_invalid")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_invalid;

// Packets routed to a port, also those that are dropped then.
@name(".port_seen")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_seen;

// `is_own`: the packet has the whole header of the program's transport, which counts this router in `hops` then.
control Router(
        inout headers_t hdr,
        inout parsed_t parsed,
        inout standard_metadata_t standard_metadata,
        out bit<1> routed,
        out bit<1> is_own) {
    CheckLength() check_length;
    Routing() routing;
    NextHop() next_hop;

    group_t next_hops;

    apply {
        routed = 0;
        is_own = 0;
        if (parsed.is_ip == 1) {
            bit<32> untagged_bytes = standard_metadata.packet_length - parsed.tag_bytes;
            check_length.apply(hdr.ipv4, hdr.ipv6, untagged_bytes, parsed.is_ip);
        }
        if (parsed.is_ip == 0 || standard_metadata.checksum_error == 1) {
            port_dropped_invalid.count((bit<32>) standard_metadata.ingress_port);
        } else {
            routing.apply(hdr.ethernet, hdr.ipv4, hdr.ipv6, standard_metadata.egress_spec, next_hops, routed);
            if (next_hops != 0) {
                next_hop.apply(hdr.ethernet, hdr.ipv4, hdr.ipv6, hdr.transport, next_hops,
                    standard_metadata.egress_spec, routed);
            }
        }
        if (routed == 0) {
            mark_to_drop(standard_metadata);
        } else {
            port_seen.count((bit<32>) standard_metadata.egress_spec);
#ifdef OWN_HEADER
            // Bytes behind a short packet are Ethernet's padding.
            if (hdr.OWN_HEADER.isValid() && hdr.ipv4.total_length >= LEAST_OWN_BYTES) {
                is_own = 1;
                hdr.signal.hops = hdr.signal.hops |+| 1;
                if (IS_FEEDBACK(hdr.signal)) {
                    standard_metadata.priority = FEEDBACK_QUEUE;
                }
            }
#endif
        }
    }
}

#endif
