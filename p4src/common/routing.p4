// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// IPv4 and IPv6 routing, in both programs: longest prefix, MAC rewrite, TTL or hop limit.

#ifndef QUENCH_ROUTING_P4
#define QUENCH_ROUTING_P4

#include "headers.p4"

// A packet without a route, or with a TTL of 1, leaves `egress_port` and `routed` as they are. Ingress drops it.
control Routing(
        inout ethernet_t ethernet,
        inout ipv4_t ipv4,
        inout ipv6_t ipv6,
        inout port_t egress_port,
#ifdef ROUTES_HAVE_GROUPS
        out group_t next_hops,
#endif
        inout bit<1> routed) {
    @id(0x01000001)
    action no_route() {}

    @id(0x01000002)
    action forward(
            @id(1) port_t port,
            @id(2) mac_address_t source_mac,
            @id(3) mac_address_t destination_mac) {
        egress_port = port;
        routed = 1;
        ethernet.source = source_mac;
        ethernet.destination = destination_mac;
    }

#ifdef ROUTES_HAVE_GROUPS
    // One of a group of next hops: v1model/next_hop.p4 chooses.
    @id(0x01000005)
    action use_group(@id(1) group_t group) {
        next_hops = group;
    }
#define ROUTE_ACTIONS forward; use_group; no_route;
#else
#define ROUTE_ACTIONS forward; no_route;
#endif

    @id(0x02000001)
    table ipv4_route {
        key = {
            ipv4.destination: lpm @id(1) @name("destination");
        }
        actions = {
            ROUTE_ACTIONS
        }
        const default_action = no_route();
        size = ROUTES;
    }

    @id(0x02000002)
    table ipv6_route {
        key = {
            ipv6.destination: lpm @id(1) @name("destination");
        }
        actions = {
            ROUTE_ACTIONS
        }
        const default_action = no_route();
        size = ROUTES;
    }

    apply {
#ifdef ROUTES_HAVE_GROUPS
        next_hops = 0;
#endif
        if (ipv4.isValid() && ipv4.ttl > 1) {
            ipv4.ttl = ipv4.ttl - 1;
            ipv4_route.apply();
        } else if (ipv6.isValid() && ipv6.hop_limit > 1) {
            ipv6.hop_limit = ipv6.hop_limit - 1;
            ipv6_route.apply();
        }
    }
}

#endif
