// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// What happened to packets, per egress port. Pipelines share nothing: marks and copies are counted where they happen, and
// a port's figure is the sum of both.

#ifndef QUENCH_TNA_COUNTERS_P4
#define QUENCH_TNA_COUNTERS_P4

#include "metadata.p4"

control DecisionCounters(in metadata_t meta, in port_t port) {
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_marked;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_cloned;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_ipv6;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_told;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_refused;

    apply {
        if (meta.decision.verdict == VERDICT_MARK1 || meta.decision.verdict == VERDICT_MARK2) {
            port_marked.count(port);
        }
        if (meta.telling == TELLING_SOURCE) {
            port_cloned.count(port);
        } else if (meta.telling == TELLING_IPV6) {
            port_isq_ipv6.count(port);
        } else if (meta.telling == TELLING_TOLD) {
            port_isq_told.count(port);
        } else if (meta.telling == TELLING_REFUSED) {
            port_isq_refused.count(port);
        }
    }
}

#endif
