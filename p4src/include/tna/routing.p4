// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// IPv4 and IPv6 routing: longest prefix, MAC rewrite, TTL or hop limit.

#ifndef QUENCH_TNA_ROUTING_P4
#define QUENCH_TNA_ROUTING_P4

#include "packet.p4"
#include "metadata.p4"

control Routing(
        inout ingress_headers_t hdr,
        inout metadata_t meta,
        inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    @id(0x01000002)
    action forward(
            @id(1) port_t port,
            @id(2) mac_address_t source_mac,
            @id(3) mac_address_t destination_mac) {
        for_tm.ucast_egress_port = port;
        meta.egress_port = port;
        meta.routed = 1;
        hdr.ethernet.source = source_mac;
        hdr.ethernet.destination = destination_mac;
    }

    // Ingress drops what is not routed.
    @id(0x01000001)
    action drop() {}

    @id(0x02000001)
    table ipv4_route {
        key = {
            hdr.ipv4.destination: lpm @id(1) @name("destination");
        }
        actions = {
            forward;
            drop;
        }
        const default_action = drop();
        size = ROUTES;
    }

    @id(0x02000002)
    table ipv6_route {
        key = {
            hdr.ipv6.destination: lpm @id(1) @name("destination");
        }
        actions = {
            forward;
            drop;
        }
        const default_action = drop();
        size = ROUTES;
    }

    action read_ipv4() {
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        meta.dscp = hdr.ipv4.dscp;
        meta.decision.ecn = hdr.ipv4.ecn;
        meta.ip_bytes = hdr.ipv4.total_length;
    }

    action read_ipv6() {
        hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
        meta.dscp = hdr.ipv6.dscp;
        meta.decision.ecn = hdr.ipv6.ecn;
        meta.ip_bytes = hdr.ipv6.payload_length + 40;
    }

    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            read_ipv4();
            ipv4_route.apply();
        } else if (hdr.ipv6.isValid() && hdr.ipv6.hop_limit > 1) {
            read_ipv6();
            ipv6_route.apply();
        }
    }
}

#endif
