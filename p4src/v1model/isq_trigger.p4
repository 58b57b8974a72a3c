// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a mark or a drop causes a source quench.

#ifndef QUENCH_ISQ_TRIGGER_P4
#define QUENCH_ISQ_TRIGGER_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"

// The DSCP of a packet about which a source quench is sent says so to the switches downstream. `spare_mark`: the
// sender is known to understand the Fast CNP that it gets, from this switch or one upstream, and shall not be told twice.
control IsqTrigger(
        in decision_t decision,
        in profile_parameters_t profile,
        in ecn_t ecn,
        in isq_format_t isq_format,
        in bit<1> sender_knows,
        in port_t port,
        inout ipv6_t ipv6,
        inout ipv4_t ipv4,
        out bit<1> send_isq,
        out bit<1> spare_mark) {
    apply {
        send_isq = 0;
        spare_mark = 0;
        if (decision.verdict != verdict_t.NONE && decision.isq == 1 && ecn != ECN_NOT_ECT) {
            dscp_t dscp = ipv4.isValid() ? ipv4.dscp : ipv6.dscp;
            if (isq_format == isq_format_t.FAST_CNP) {
                spare_mark = sender_knows;
            }
            if (ipv6.isValid() && isq_format == isq_format_t.NONE) {
                port_isq_ipv6.count((bit<32>) port);
            } else if (profile.once_per_path_mask != 0
                    && dscp & profile.once_per_path_mask == profile.once_per_path_mask) {
                port_isq_once_per_path.count((bit<32>) port);
            } else if (isq_format == isq_format_t.NONE) {
                port_isq_refused.count((bit<32>) port);
            } else {
                send_isq = 1;
                port_cloned.count((bit<32>) port);
                if (ipv4.isValid()) {
                    ipv4.dscp = ipv4.dscp | profile.once_per_path_mask;
                } else {
                    ipv6.dscp = ipv6.dscp | profile.once_per_path_mask;
                }
            }
        }
    }
}

#endif
