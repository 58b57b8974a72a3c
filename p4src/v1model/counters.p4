// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Counters of marks, drops, copies and source quenches, for each egress port, and of refused packets, for each port of
// arrival. They are global: ingress and egress count.

#ifndef QUENCH_COUNTERS_P4
#define QUENCH_COUNTERS_P4

#include "packet.p4"

@id(0x12000001) @name(".port_seen")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_seen;

@id(0x12000002) @name(".port_marked")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_marked;

@id(0x12000003) @name(".port_dropped_early")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_early;

@id(0x12000004) @name(".port_dropped_forced")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_forced;

@id(0x12000005) @name(".port_cloned")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_cloned;

// Source quenches that the switch made, and those that the meter held back. Packets about which none is sent: IPv6 has no
// such message, a switch upstream has sent one already, or an RFC forbids it.
@id(0x12000006) @name(".port_isq_sent")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_sent;

@id(0x12000007) @name(".port_isq_limited")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_limited;

@id(0x12000008) @name(".port_isq_ipv6")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_ipv6;

@id(0x12000009) @name(".port_isq_once_per_path")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_once_per_path;

@id(0x1200000a) @name(".port_isq_refused")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_refused;

// By the port that a packet came by: an IP header or length is wrong, or the frame belongs to a VLAN. Both have no egress
// port.
@id(0x1200000b) @name(".port_dropped_invalid")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_invalid;

@id(0x1200000c) @name(".port_dropped_vlan")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_vlan;

// Source quenches from outside of the domain, by the port that they came by.
@id(0x1200000d) @name(".port_dropped_isq")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_isq;

// Packets that are dropped because they are not IP or not right.
control CountRefused(in ethernet_t ethernet, in port_t ingress_port) {
    apply {
        if (ethernet.isValid()) {
            if (ethernet.ether_type == ETHERTYPE_IPV4 || ethernet.ether_type == ETHERTYPE_IPV6) {
                port_dropped_invalid.count((bit<32>) ingress_port);
            } else if (ethernet.ether_type == ETHERTYPE_VLAN || ethernet.ether_type == ETHERTYPE_SERVICE_VLAN) {
                port_dropped_vlan.count((bit<32>) ingress_port);
            }
        }
    }
}

#endif
