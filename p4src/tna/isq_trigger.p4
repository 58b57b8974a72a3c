// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a mark or a drop causes a source quench. Apart from v1model because a chain of conditions takes more stages: here
// is a table.

#ifndef QUENCH_TNA_ISQ_TRIGGER_P4
#define QUENCH_TNA_ISQ_TRIGGER_P4

#include "metadata.p4"

control IsqTrigger(inout metadata_t meta, in bool is_ipv6, in dscp_t missing_bits) {
    action set_isq_outcome(isq_outcome_t value) {
        meta.isq_outcome = value;
    }

    // The first entry that matches decides. `missing_bits`: bits of the mask that the packet's DSCP lacks.
    table isq_outcome {
        key = {
            meta.decision.verdict: ternary;
            meta.segment.isq: ternary;
            meta.decision.ecn: ternary;
            is_ipv6: ternary;
            meta.profile.sent_upstream_mask: ternary;
            missing_bits: ternary;
            meta.isq_eligible: ternary;
        }
        actions = {
            set_isq_outcome;
        }
        const entries = {
            (VERDICT_NONE, _, _, _, _, _, _): set_isq_outcome(ISQ_NONE);
            (_, 0, _, _, _, _, _): set_isq_outcome(ISQ_NONE);
            (_, _, ECN_NOT_ECT, _, _, _, _): set_isq_outcome(ISQ_NONE);
            (_, _, _, true, _, _, _): set_isq_outcome(ISQ_IPV6);
            (_, _, _, _, 0, _, 1): set_isq_outcome(ISQ_SEND);
            (_, _, _, _, 0, _, _): set_isq_outcome(ISQ_REFUSED);
            (_, _, _, _, _, 0, _): set_isq_outcome(ISQ_SENT_UPSTREAM);
            (_, _, _, _, _, _, 1): set_isq_outcome(ISQ_SEND);
        }
        const default_action = set_isq_outcome(ISQ_REFUSED);
        size = 8;
    }

    apply {
        isq_outcome.apply();
    }
}

#endif
