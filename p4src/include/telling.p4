// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a mark or a drop causes a source quench to the packet's source.

#ifndef QUENCH_TELLING_P4
#define QUENCH_TELLING_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"

control Telling(inout headers_t hdr, inout metadata_t meta, in port_t port, out bit<1> tells) {
    apply {
        tells = 0;
        bool is_chosen = meta.verdict.mark1 == 1 || meta.verdict.mark2 == 1
            || meta.verdict.drop_early == 1 || meta.verdict.drop_forced == 1;
        if (is_chosen && meta.segment.isq == 1 && meta.ecn != ECN_NOT_ECT) {
            if (hdr.ipv6.isValid()) {
                port_isq_ipv6.count((bit<32>) port);
            } else if (meta.profile.told_mask != 0 && meta.dscp & meta.profile.told_mask == meta.profile.told_mask) {
                port_isq_told.count((bit<32>) port);
            } else if (meta.quotable == 0) {
                port_isq_refused.count((bit<32>) port);
            } else {
                tells = 1;
                port_cloned.count((bit<32>) port);
                hdr.ipv4.dscp = meta.dscp | meta.profile.told_mask;
            }
        }
    }
}

#endif
