// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The decision about one packet: the probabilities at the average, from its queue's curve, and whether this packet is
// selected for a mark or a drop.
//
// Ingress and egress each have an instance with its own table and counts. Ingress decides about packets that can be dropped
// (not ECT, or in a segment that drops) and, with mark_at tail, about all; egress decides about the others. Each counts
// only the packets that it decides about. Because there are two instances nothing here has an @id: the ids follow from the
// names.

#ifndef QUENCH_DECISION_P4
#define QUENCH_DECISION_P4

#include "metadata.p4"
#include "draw.p4"

control Decision(
        in queue_index_t queue_index,
        in profile_parameters_t profile,
        in average_t average,
        in ecn_t ecn,
        in bit<16> ip_bytes,
        out decision_t decision)(bool in_ingress) {
    Draw() level1_draw;
    Draw() level2_draw;

    average_key_t average_key;
    mean_packets_t increment;
    segment_t segment;
    bit<1> selected1;
    bit<1> selected2;

    // Each probability is `base` at the average `start` and changes by `slope` per packet beyond it.
    action set_segment(
            @id(1) average_t start,
            @id(2) probability_t level1_base,
            @id(3) slope_t level1_slope,
            @id(4) probability_t level2_base,
            @id(5) slope_t level2_slope,
            @id(6) bit<1> isq,
            @id(7) bit<1> drop,
            @id(8) isq_level_q8_t isq_level_base,
            @id(9) isq_level_slope_t isq_level_slope,
            @id(10) advice_t isq_advice) {
        signed_product_t beyond = (signed_product_t) (product_t) (average - start);
        signed_product_t rise1 = (beyond * (signed_product_t) (int<64>) level1_slope) >> SLOPE_TO_PROBABILITY_SHIFT;
        signed_product_t rise2 = (beyond * (signed_product_t) (int<64>) level2_slope) >> SLOPE_TO_PROBABILITY_SHIFT;
        segment.level1 = level1_base + (probability_t) (product_t) rise1;
        segment.level2 = level2_base + (probability_t) (product_t) rise2;
        signed_product_t level_rise = (beyond * (signed_product_t) (int<48>) isq_level_slope) >> SLOPE_TO_ISQ_LEVEL_SHIFT;
        isq_level_q8_t isq_level_q8 = isq_level_base + (isq_level_q8_t) (product_t) level_rise;
        level_t isq_level = (level_t) (isq_level_q8 >> ISQ_LEVEL_FRACTION_BITS);
        decision.isq_level = isq_level > ISQ_LEVEL_MAX ? ISQ_LEVEL_MAX : isq_level;
        decision.isq_advice = isq_advice;
        decision.isq = isq;
        segment.drop = drop;
    }

    action set_below() {
        segment.level1 = 0;
        segment.level2 = 0;
        decision.isq_level = 0;
        decision.isq_advice = 0;
        decision.isq = 0;
        segment.drop = 0;
    }

    table curve {
        key = {
            profile.id: exact @id(1) @name("profile");
            average_key: range @id(2) @name("average");
        }
        actions = {
            set_segment;
            @defaultonly set_below;
        }
        const default_action = set_below();
        size = CURVE_SEGMENTS;
    }

    apply {
        decision.verdict = verdict_t.NONE;
        decision.new_ecn = ecn;
        average_key = (average_key_t) (average >> AVERAGE_KEY_SHIFT);
        curve.apply();

        bool is_ect = ecn != ECN_NOT_ECT;
        bool can_drop = !is_ect || segment.drop == 1;
        bool on_arrival = can_drop || profile.mark_at_tail == 1;
        // A packet that is already marked CE is neither marked again nor counted.
        if (on_arrival == in_ingress && (can_drop || ecn != ECN_CE)) {
            increment = profile.count_per_packet
                + (mean_packets_t) (((bit<64>) ip_bytes * (bit<64>) profile.count_per_byte) >> COUNT_PER_BYTE_SHIFT);
            selected1 = 0;
            selected2 = 0;
            if (!can_drop) {
                level2_draw.apply(queue_index, increment, segment.level2, profile.wait, selected2);
            }
            if (selected2 == 0) {
                level1_draw.apply(queue_index, increment, segment.level1, profile.wait, selected1);
            }

            if (selected2 == 1) {
                decision.verdict = verdict_t.MARK2;
                decision.new_ecn = profile.level2_codepoint;
            } else if (selected1 == 1 && can_drop) {
                if (segment.level1 >= PROBABILITY_ONE) {
                    decision.verdict = verdict_t.DROP_FORCED;
                } else {
                    decision.verdict = verdict_t.DROP_EARLY;
                }
            } else if (selected1 == 1 && ecn != profile.level1_codepoint) {
                decision.verdict = verdict_t.MARK1;
                decision.new_ecn = profile.level1_codepoint;
            }
        }
    }
}

#endif
