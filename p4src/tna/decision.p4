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

control Decision(
        in ports_and_queue_t ports_and_queue,
        in profile_t profile_id,
        in profile_parameters_t profile,
        in tna_average_t average,
        in isq_format_t isq_format,
        in bit<1> sender_knows,
        inout segment_t segment,
        inout decision_t decision)(bool in_ingress) {
    Threshold() level1_threshold;
    Threshold() level2_threshold;
    Draw() level1_draw;
    Draw() level2_draw;

    // The control plane cuts sloped segments into rows with one probability each.
    action set_segment(
            @id(1) selection_t level1_selection,
            @id(2) count_t level1_most,
            @id(3) count_t level1_least,
            @id(4) selection_t level2_selection,
            @id(5) count_t level2_most,
            @id(6) count_t level2_least,
            @id(7) bit<1> isq,
            @id(8) bit<1> drop,
            @id(9) level_t isq_level,
            @id(10) advice_t isq_advice) {
        segment.selection1 = level1_selection;
        segment.most1 = level1_most;
        segment.least1 = level1_least;
        segment.selection2 = level2_selection;
        segment.most2 = level2_most;
        segment.least2 = level2_least;
        segment.isq = isq;
        segment.drop = drop;
        segment.isq_level = isq_level;
        segment.isq_advice = isq_advice;
    }

    action set_below() {
        segment.selection1 = selection_t.NEVER;
        segment.selection2 = selection_t.NEVER;
        segment.isq = 0;
        segment.drop = 0;
        segment.isq_level = 0;
        segment.isq_advice = 0;
    }

    table curve {
        key = {
            profile_id: exact @id(1) @name("profile");
            AVERAGE_KEY_OF(average): range @id(2) @name("average");
        }
        actions = {
            set_segment;
            @defaultonly set_below;
        }
        const default_action = set_below();
        size = TNA_CURVE_ROWS;
    }

    action set_decision_kind(decision_kind_t value) {
        decision.kind = value;
    }

    // A packet that is already marked CE is neither marked again nor counted.
    table decision_kind {
        key = {
            decision.ecn: ternary;
            segment.drop: ternary;
            profile.mark_at_tail: ternary;
        }
        actions = {
            set_decision_kind;
        }
        const entries = {
            (ECN_NOT_ECT, _, _): set_decision_kind(decision_kind_t.DROP);
            (_, 1, _): set_decision_kind(decision_kind_t.DROP);
            (ECN_CE, _, _): set_decision_kind(decision_kind_t.NONE);
            (_, _, 1): set_decision_kind(decision_kind_t.MARK_ON_ARRIVAL);
        }
        const default_action = set_decision_kind(decision_kind_t.MARK_ON_DEPARTURE);
        size = 4;
    }

    action set_verdict(verdict_t value, reason_t reason, level_t level) {
        decision.verdict = value;
        decision.marks = 0;
        decision.reason = reason;
        decision.level = level;
    }

    // A sender that is known to understand a Fast CNP gets it alone, from this switch or one upstream: it shall not be told
    // twice.
    action notify1() {
        set_verdict(verdict_t.MARK1, reason_t.MARKED, 1);
    }

    action notify2() {
        set_verdict(verdict_t.MARK2, reason_t.MARKED, 2);
    }

    action mark1() {
        notify1();
        decision.marks = 1;
        decision.new_ecn = profile.level1_codepoint;
    }

    action mark2() {
        notify2();
        decision.marks = 1;
        decision.new_ecn = profile.level2_codepoint;
    }

    action drop_early() {
        set_verdict(verdict_t.DROP_EARLY, reason_t.DROPPED_EARLY, 0);
    }

    action drop_forced() {
        set_verdict(verdict_t.DROP_FORCED, reason_t.DROPPED_FORCED, 0);
    }

    action pass() {
        set_verdict(verdict_t.NONE, reason_t.QUEUE_REPORT, 0);
    }

    // A packet that has the codepoint of level 1 already, which may be ECT(1), is not marked with it again.
    table verdict {
        key = {
            decision.kind: ternary;
            decision.selected2: ternary;
            decision.selected1: ternary;
            segment.selection1: ternary;
            decision.ecn: ternary;
            profile.level1_codepoint: ternary;
            segment.isq: ternary;
            isq_format: ternary;
            sender_knows: ternary;
        }
        actions = {
            mark1;
            mark2;
            notify1;
            notify2;
            drop_early;
            drop_forced;
            pass;
        }
        const entries = {
            (decision_kind_t.DROP, _, 1, selection_t.ALWAYS, _, _, _, _, _): drop_forced();
            (decision_kind_t.DROP, _, 1, _, _, _, _, _, _): drop_early();
            (_, 1, _, _, _, _, 1, isq_format_t.FAST_CNP, 1): notify2();
            (_, 1, _, _, _, _, _, _, _): mark2();
            (_, _, 1, _, ECN_ECT1, ECN_ECT1, _, _, _): pass();
            (_, _, 1, _, _, _, 1, isq_format_t.FAST_CNP, 1): notify1();
            (_, _, 1, _, _, _, _, _, _): mark1();
        }
        const default_action = pass();
        size = 7;
    }

    apply {
        decision.selected1 = 0;
        decision.selected2 = 0;
        curve.apply();
        level1_threshold.apply(decision.number1, decision.size_code, segment.most1, segment.least1, decision.threshold1);
        level2_threshold.apply(decision.number2, decision.size_code, segment.most2, segment.least2, decision.threshold2);
        decision_kind.apply();
        if (in_ingress && decision.kind == decision_kind_t.MARK_ON_ARRIVAL
                || !in_ingress && decision.kind == decision_kind_t.MARK_ON_DEPARTURE) {
            level2_draw.apply(ports_and_queue, segment.selection2, decision.size,
                decision.threshold2, decision.selected2);
        }
        if (in_ingress && (decision.kind == decision_kind_t.DROP || decision.kind == decision_kind_t.MARK_ON_ARRIVAL)
                || !in_ingress && decision.kind == decision_kind_t.MARK_ON_DEPARTURE) {
            level1_draw.apply(ports_and_queue, segment.selection1, decision.size,
                decision.threshold1, decision.selected1);
        }
        verdict.apply();
    }
}

#endif
