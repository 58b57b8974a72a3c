// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The decision about one packet: where the average lies on its queue's curve, and whether this packet is chosen.
//
// Ingress and egress each have an instance with its own table and counts. Ingress decides what can end in a drop (packets
// that are not ECT, segments that drop) and, with mark_at tail, everything; egress decides the rest. Each counts only its
// own packets. Because there are two instances nothing here has an @id: the ids follow from the names.

#ifndef QUENCH_TNA_DECISION_P4
#define QUENCH_TNA_DECISION_P4

#include "metadata.p4"
#include "size.p4"
#include "draw.p4"

control Decision(inout metadata_t meta)(bool in_ingress) {
    Goal() level1_goal;
    Goal() level2_goal;
    Step() level1_step;
    Step() level2_step;
    Draw() level1_draw;
    Draw() level2_draw;

    step_t goal1 = 0;
    step_t goal2 = 0;
    step_t step1 = 0;
    step_t step2 = 0;

    // Sloped segments come as rows with one probability each: what a packet of this size adds is only looked up. Codes are
    // 128 * log2(probability * 2^24), in byte mode of the probability of one byte.
    action set_segment(
            @id(1) choice_t level1_choice,
            @id(2) log_t level1_code,
            @id(3) choice_t level2_choice,
            @id(4) log_t level2_code,
            @id(5) bit<1> isq,
            @id(6) bit<1> drop,
            @id(7) level_t isq_level) {
        meta.segment.choice1 = level1_choice;
        meta.segment.code1 = meta.decision.size_code + level1_code;
        meta.segment.choice2 = level2_choice;
        meta.segment.code2 = meta.decision.size_code + level2_code;
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

    action set_duty(duty_t value) {
        meta.decision.duty = value;
    }

    // A packet that is already marked CE is neither marked again nor counted.
    table duty {
        key = {
            meta.decision.ecn: ternary;
            meta.segment.drop: ternary;
            meta.profile.mark_at_tail: ternary;
        }
        actions = {
            set_duty;
        }
        const entries = {
            (ECN_NOT_ECT, _, _): set_duty(DUTY_DROP);
            (_, 1, _): set_duty(DUTY_DROP);
            (ECN_CE, _, _): set_duty(DUTY_NONE);
            (_, _, 1): set_duty(DUTY_ARRIVAL);
        }
        const default_action = set_duty(DUTY_DEPARTURE);
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

    // A packet that has the codepoint of level 1 already (ECT(1) is 01) has nothing to gain from a mark.
    table verdict {
        key = {
            meta.decision.duty: ternary;
            meta.decision.chosen2: ternary;
            meta.decision.chosen1: ternary;
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
            (DUTY_DROP, _, 1, CHOICE_ALWAYS, _, _): drop_forced();
            (DUTY_DROP, _, 1, _, _, _): drop_early();
            (_, 1, _, _, _, _): mark2();
            (_, _, 1, _, 0b01, 0b01): pass();
            (_, _, 1, _, _, _): mark1();
        }
        const default_action = pass();
        size = 5;
    }

    apply {
        meta.decision.chosen1 = 0;
        meta.decision.chosen2 = 0;
        level1_goal.apply(meta.profile.wait, goal1);
        level2_goal.apply(meta.profile.wait, goal2);
        curve.apply();
        level1_step.apply(meta.segment.code1, step1);
        level2_step.apply(meta.segment.code2, step2);
        duty.apply();
        if (in_ingress && meta.decision.duty == DUTY_ARRIVAL || !in_ingress && meta.decision.duty == DUTY_DEPARTURE) {
            level2_draw.apply(meta.copy.place, meta.segment.choice2, step2, goal2, meta.decision.chosen2);
        }
        if (meta.decision.chosen2 == 0
                && (in_ingress && (meta.decision.duty == DUTY_DROP || meta.decision.duty == DUTY_ARRIVAL)
                    || !in_ingress && meta.decision.duty == DUTY_DEPARTURE)) {
            level1_draw.apply(meta.copy.place, meta.segment.choice1, step1, goal1, meta.decision.chosen1);
        }
        verdict.apply();
    }
}

#endif
