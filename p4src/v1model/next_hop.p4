// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Routes with several next hops of equal cost (ECMP): a flow keeps to one of the group's, by a hash over its five-tuple
// (RFC 2992). Apart from common/routing.p4 because the TNA program has no stage left for it.

#ifndef QUENCH_NEXT_HOP_P4
#define QUENCH_NEXT_HOP_P4

#include "../common/headers.p4"
#include "types.p4"

// A group without next hops leaves `routed` as it is. Ingress drops the packet.
control NextHop(
        inout ethernet_t ethernet,
        in ipv4_t ipv4,
        in ipv6_t ipv6,
        in transport_t transport,
        in group_t group,
        inout port_t egress_port,
        inout bit<1> routed) {
    // A member of the group is `flow` modulo their number.
    @id(0x11000001) @max_group_size(GROUP_NEXT_HOPS)
    action_selector(HashAlgorithm.identity, NEXT_HOPS, FLOW_BITS) next_hops;

    ports_t ports = 0;
    flow_t five_tuple;
    flow_t seed = 0;
    flow_t flow;

    @id(0x01000003)
    action use_next_hop(
            @id(1) port_t port,
            @id(2) mac_address_t source_mac,
            @id(3) mac_address_t destination_mac) {
        egress_port = port;
        routed = 1;
        ethernet.source = source_mac;
        ethernet.destination = destination_mac;
    }

    @id(0x02000003)
    table next_hop {
        key = {
            group: exact @id(1) @name("group");
            flow: selector @name("flow");
        }
        actions = {
            use_next_hop;
        }
        implementation = next_hops;
        size = GROUPS;
    }

    @id(0x01000004)
    action use_seed(@id(1) @name("seed") flow_t value) {
        seed = value;
    }

    // Each switch has another seed. Until the controller has set it all flows take the first next hop.
    @id(0x02000004)
    table flow_seed {
        actions = {
            @defaultonly use_seed;
        }
        default_action = use_seed(0);
    }

    apply {
        if (ipv4.isValid()) {
            // Only the first fragment of a packet has ports, and all shall take one way.
            bool is_whole = ipv4.fragment_offset == 0 && (ipv4.flags & IPV4_MORE_FRAGMENTS) == 0;
            if (is_whole && HAS_PORTS(ipv4.protocol) && transport.isValid()) {
                ports = PORTS_OF(transport);
            }
            hash(five_tuple, HashAlgorithm.crc32, (flow_t) 0,
                { ipv4.source, ipv4.destination, ipv4.protocol, ports }, FLOWS);
        } else {
            if (transport.isValid()) {
                ports = PORTS_OF(transport);
            }
            hash(five_tuple, HashAlgorithm.crc32, (flow_t) 0,
                { ipv6.source, ipv6.destination, ipv6.next_header, ports }, FLOWS);
        }
        flow_seed.apply();
        // A CRC is linear: with another seed as its key all flows that share a member would share another one. A product
        // is not, so a switch divides anew what the switch before it has sent here.
        bit<64> product = (bit<64>) five_tuple * (bit<64>) seed;
        flow = product[63:32];
        next_hop.apply();
    }
}

#endif
