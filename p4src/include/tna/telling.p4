// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a mark or a drop causes a source quench to the packet's source.

#ifndef QUENCH_TNA_TELLING_P4
#define QUENCH_TNA_TELLING_P4

#include "metadata.p4"

control Telling(inout metadata_t meta, in bool is_ipv6, in dscp_t missing) {
    action tell(telling_t value) {
        meta.telling = value;
    }

    // The first entry that fits decides. `missing`: bits of the mask that the packet's DSCP lacks.
    table telling {
        key = {
            meta.decision.verdict: ternary;
            meta.segment.isq: ternary;
            meta.decision.ecn: ternary;
            is_ipv6: ternary;
            meta.profile.told_mask: ternary;
            missing: ternary;
            meta.quotable: ternary;
        }
        actions = {
            tell;
        }
        const entries = {
            (VERDICT_NONE, _, _, _, _, _, _): tell(TELLING_NOBODY);
            (_, 0, _, _, _, _, _): tell(TELLING_NOBODY);
            (_, _, ECN_NOT_ECT, _, _, _, _): tell(TELLING_NOBODY);
            (_, _, _, true, _, _, _): tell(TELLING_IPV6);
            (_, _, _, _, 0, _, 1): tell(TELLING_SOURCE);
            (_, _, _, _, 0, _, _): tell(TELLING_REFUSED);
            (_, _, _, _, _, 0, _): tell(TELLING_TOLD);
            (_, _, _, _, _, _, 1): tell(TELLING_SOURCE);
        }
        const default_action = tell(TELLING_REFUSED);
        size = 8;
    }

    apply {
        telling.apply();
    }
}

#endif
