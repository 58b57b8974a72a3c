// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a mark or a drop causes a source quench.

#ifndef QUENCH_ISQ_TRIGGER_P4
#define QUENCH_ISQ_TRIGGER_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"

control IsqTrigger(inout headers_t hdr, inout metadata_t meta, in port_t port, out bit<1> send_isq) {
    apply {
        send_isq = 0;
        if (meta.verdict != VERDICT_NONE && meta.segment.isq == 1 && meta.ecn != ECN_NOT_ECT) {
            if (hdr.ipv6.isValid()) {
                port_isq_ipv6.count((bit<32>) port);
            } else if (meta.profile.sent_upstream_mask != 0
                    && meta.dscp & meta.profile.sent_upstream_mask == meta.profile.sent_upstream_mask) {
                port_isq_sent_upstream.count((bit<32>) port);
            } else if (meta.isq_eligible == 0) {
                port_isq_refused.count((bit<32>) port);
            } else {
                send_isq = 1;
                port_cloned.count((bit<32>) port);
                hdr.ipv4.dscp = meta.dscp | meta.profile.sent_upstream_mask;
            }
        }
    }
}

#endif
