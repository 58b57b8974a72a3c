// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a mark or a drop causes a source quench. Apart from v1model because a chain of conditions takes more stages: here
// is a table.

#ifndef QUENCH_TNA_ISQ_TRIGGER_P4
#define QUENCH_TNA_ISQ_TRIGGER_P4

#include "metadata.p4"

control IsqTrigger(
        in decision_t decision,
        in bit<1> isq,
        in bool is_ipv6,
        in dscp_t once_per_path_mask,
        in dscp_t missing_bits,
        in isq_format_t isq_format,
        out isq_outcome_t outcome) {
    action set_isq_outcome(isq_outcome_t value) {
        outcome = value;
    }

    // The first entry that matches decides. `missing_bits`: bits of the mask that the packet's DSCP lacks.
    table isq_outcome {
        key = {
            decision.verdict: ternary;
            isq: ternary;
            decision.ecn: ternary;
            is_ipv6: ternary;
            once_per_path_mask: ternary;
            missing_bits: ternary;
            isq_format: ternary;
        }
        actions = {
            set_isq_outcome;
        }
        const entries = {
            (verdict_t.NONE, _, _, _, _, _, _): set_isq_outcome(isq_outcome_t.NONE);
            (_, 0, _, _, _, _, _): set_isq_outcome(isq_outcome_t.NONE);
            (_, _, ECN_NOT_ECT, _, _, _, _): set_isq_outcome(isq_outcome_t.NONE);
            (_, _, _, true, _, _, isq_format_t.NONE): set_isq_outcome(isq_outcome_t.IPV6);
            (_, _, _, _, 0, _, isq_format_t.NONE): set_isq_outcome(isq_outcome_t.REFUSED);
            (_, _, _, _, 0, _, _): set_isq_outcome(isq_outcome_t.SEND);
            (_, _, _, _, _, 0, _): set_isq_outcome(isq_outcome_t.ONCE_PER_PATH);
            (_, _, _, _, _, _, isq_format_t.NONE): set_isq_outcome(isq_outcome_t.REFUSED);
        }
        const default_action = set_isq_outcome(isq_outcome_t.SEND);
        size = 8;
    }

    apply {
        isq_outcome.apply();
    }
}

#endif
