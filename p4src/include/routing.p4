// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// IPv4 and IPv6 routing: longest prefix, MAC rewrite, TTL or hop limit.

#ifndef QUENCH_ROUTING_P4
#define QUENCH_ROUTING_P4

#include "packet.p4"
#include "metadata.p4"

control Routing(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    @id(0x01000001)
    action drop() {
        mark_to_drop(standard_metadata);
    }

    @id(0x01000002)
    action forward(
            @id(1) port_t port,
            @id(2) mac_address_t source_mac,
            @id(3) mac_address_t destination_mac) {
        standard_metadata.egress_spec = port;
        meta.routed = 1;
        hdr.ethernet.source = source_mac;
        hdr.ethernet.destination = destination_mac;
    }

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

    apply {
        if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.ttl <= 1) {
                drop();
            } else {
                hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
                ipv4_route.apply();
            }
        } else if (hdr.ipv6.isValid()) {
            if (hdr.ipv6.hop_limit <= 1) {
                drop();
            } else {
                hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
                ipv6_route.apply();
            }
        } else {
            drop();
        }
    }
}

#endif
