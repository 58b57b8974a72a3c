// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Writing a mark into the IP header (RFC 3168; with levels as the profile's codepoints say), and the bits of once per path.

#ifndef QUENCH_TNA_MARKING_P4
#define QUENCH_TNA_MARKING_P4

#include "packet.p4"
#include "metadata.p4"

control Marking(inout ipv4_t ipv4, inout ipv6_t ipv6, in metadata_t meta, in dscp_t told_dscp) {
    action mark_ipv4() {
        ipv4.ecn = meta.decision.new_ecn;
    }

    action mark_ipv6() {
        ipv6.ecn = meta.decision.new_ecn;
    }

    action say_told() {
        ipv4.dscp = told_dscp;
    }

    apply {
        if (meta.decision.verdict == VERDICT_MARK1 || meta.decision.verdict == VERDICT_MARK2) {
            if (ipv4.isValid()) {
                mark_ipv4();
            } else {
                mark_ipv6();
            }
        }
        if (meta.telling == TELLING_SOURCE) {
            say_told();
        }
    }
}

#endif
