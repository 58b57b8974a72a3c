// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The decision about one packet, as in ../decision.p4. Apart from v1model because no ALU multiplies, and a chain of
// conditions takes more stages: here are tables, with logarithms.
//
// Ingress and egress each have an instance with its own table and counts. Ingress decides about packets that can be dropped
// (not ECT, or in a segment that drops) and, with mark_at tail, about all; egress decides about the others. Each counts
// only the packets that it decides about. Because there are two instances nothing here has an @id: the ids follow from the
// names.

#ifndef QUENCH_TNA_DECISION_P4
#define QUENCH_TNA_DECISION_P4

#include "metadata.p4"
#include "draw.p4"

control Decision(inout metadata_t meta)(bool in_ingress) {
    Threshold() level1_threshold;
    Threshold() level2_threshold;
    Draw() level1_draw;
    Draw() level2_draw;

    // The control plane cuts sloped segments into rows with one probability each.
    action set_segment(
            @id(1) choice_t level1_choice,
            @id(2) count_t level1_most,
            @id(3) count_t level1_least,
            @id(4) choice_t level2_choice,
            @id(5) count_t level2_most,
            @id(6) count_t level2_least,
            @id(7) bit<1> isq,
            @id(8) bit<1> drop,
            @id(9) level_t isq_level) {
        meta.segment.choice1 = level1_choice;
        meta.segment.most1 = level1_most;
        meta.segment.least1 = level1_least;
        meta.segment.choice2 = level2_choice;
        meta.segment.most2 = level2_most;
        meta.segment.least2 = level2_least;
        meta.segment.isq = isq;
        meta.segment.drop = drop;
        meta.segment.isq_level = isq_level;
    }

    action set_below() {
        meta.segment.choice1 = CHOICE_NEVER;
        meta.segment.choice2 = CHOICE_NEVER;
        meta.segment.isq = 0;
        meta.segment.drop = 0;
        meta.segment.isq_level = 0;
    }

    // Keys of a range are at most 20 bits wide.
    table curve {
        key = {
            meta.profile_id: exact @id(1) @name("profile");
            meta.copy.average[31:12]: range @id(2) @name("average");
        }
        actions = {
            set_segment;
            @defaultonly set_below;
        }
        const default_action = set_below();
        size = TNA_CURVE_ROWS;
    }

    action set_decision_kind(decision_kind_t value) {
        meta.decision.kind = value;
    }

    // A packet that is already marked CE is neither marked again nor counted.
    table decision_kind {
        key = {
            meta.decision.ecn: ternary;
            meta.segment.drop: ternary;
            meta.profile.mark_at_tail: ternary;
        }
        actions = {
            set_decision_kind;
        }
        const entries = {
            (ECN_NOT_ECT, _, _): set_decision_kind(DECISION_DROP);
            (_, 1, _): set_decision_kind(DECISION_DROP);
            (ECN_CE, _, _): set_decision_kind(DECISION_NONE);
            (_, _, 1): set_decision_kind(DECISION_MARK_ON_ARRIVAL);
        }
        const default_action = set_decision_kind(DECISION_MARK_ON_DEPARTURE);
        size = 4;
    }

    action set_verdict(verdict_t value, reason_t reason, level_t level) {
        meta.decision.verdict = value;
        meta.decision.reason = reason;
        meta.decision.level = level;
    }

    action mark1() {
        set_verdict(VERDICT_MARK1, REASON_MARKED, 1);
        meta.decision.new_ecn = meta.profile.level1_codepoint;
    }

    action mark2() {
        set_verdict(VERDICT_MARK2, REASON_MARKED, 2);
        meta.decision.new_ecn = meta.profile.level2_codepoint;
    }

    action drop_early() {
        set_verdict(VERDICT_DROP_EARLY, REASON_DROPPED_EARLY, 0);
    }

    action drop_forced() {
        set_verdict(VERDICT_DROP_FORCED, REASON_DROPPED_FORCED, 0);
    }

    action pass() {
        set_verdict(VERDICT_NONE, REASON_QUEUE_REPORT, 0);
    }

    // A packet that has the codepoint of level 1 already, which may be ECT(1), is not marked with it again.
    table verdict {
        key = {
            meta.decision.kind: ternary;
            meta.decision.selected2: ternary;
            meta.decision.selected1: ternary;
            meta.segment.choice1: ternary;
            meta.decision.ecn: ternary;
            meta.profile.level1_codepoint: ternary;
        }
        actions = {
            mark1;
            mark2;
            drop_early;
            drop_forced;
            pass;
        }
        const entries = {
            (DECISION_DROP, _, 1, CHOICE_ALWAYS, _, _): drop_forced();
            (DECISION_DROP, _, 1, _, _, _): drop_early();
            (_, 1, _, _, _, _): mark2();
            (_, _, 1, _, 0b01, 0b01): pass();
            (_, _, 1, _, _, _): mark1();
        }
        const default_action = pass();
        size = 5;
    }

    apply {
        meta.decision.selected1 = 0;
        meta.decision.selected2 = 0;
        curve.apply();
        level1_threshold.apply(meta.decision.size_code, meta.segment.most1, meta.segment.least1, meta.decision.threshold1);
        level2_threshold.apply(meta.decision.size_code, meta.segment.most2, meta.segment.least2, meta.decision.threshold2);
        decision_kind.apply();
        if (in_ingress && meta.decision.kind == DECISION_MARK_ON_ARRIVAL
                || !in_ingress && meta.decision.kind == DECISION_MARK_ON_DEPARTURE) {
            level2_draw.apply(meta.copy.ports_and_queue, meta.segment.choice2, meta.decision.size,
                meta.decision.threshold2, meta.decision.selected2);
        }
        if (in_ingress && (meta.decision.kind == DECISION_DROP || meta.decision.kind == DECISION_MARK_ON_ARRIVAL)
                || !in_ingress && meta.decision.kind == DECISION_MARK_ON_DEPARTURE) {
            level1_draw.apply(meta.copy.ports_and_queue, meta.segment.choice1, meta.decision.size,
                meta.decision.threshold1, meta.decision.selected1);
        }
        verdict.apply();
    }
}

#endif
