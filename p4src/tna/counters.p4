// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Counters of marks, copies and source quenches, for each egress port. Apart from v1model because pipelines share no
// counter: each counts its own, and the value of a port is the sum of both.

#ifndef QUENCH_TNA_COUNTERS_P4
#define QUENCH_TNA_COUNTERS_P4

#include "headers.p4"

// Packets that are dropped because they are not IP or not right, by the port that they came by.
control CountRefused(in ethernet_t ethernet, in port_t ingress_port) {
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_invalid;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_vlan;

    apply {
        if (ethernet.isValid()) {
            if (ethernet.ether_type == ETHERTYPE_IPV4 || ethernet.ether_type == ETHERTYPE_IPV6) {
                port_dropped_invalid.count(ingress_port);
            } else if (ethernet.ether_type == ETHERTYPE_VLAN || ethernet.ether_type == ETHERTYPE_SERVICE_VLAN) {
                port_dropped_vlan.count(ingress_port);
            }
        }
    }
}

control DecisionCounters(in bit<1> marks, in isq_outcome_t isq_outcome, in port_t port) {
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_marked;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_cloned;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_ipv6;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_once_per_path;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_refused;

    apply {
        if (marks == 1) {
            port_marked.count(port);
        }
        if (isq_outcome == isq_outcome_t.SEND) {
            port_cloned.count(port);
        } else if (isq_outcome == isq_outcome_t.IPV6) {
            port_isq_ipv6.count(port);
        } else if (isq_outcome == isq_outcome_t.ONCE_PER_PATH) {
            port_isq_once_per_path.count(port);
        } else if (isq_outcome == isq_outcome_t.REFUSED) {
            port_isq_refused.count(port);
        }
    }
}

#endif
