// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// RED's spread of marks without a division (Floyd and Jacobson 1993): of the packets that come when `count` others have come
// since the last one that was chosen, the share probability / (1 - count * probability) is chosen, so that the gaps are
// uniform on 1..1/probability. With `wait`, as in ns-2, it is probability / (2 - count * probability) from
// count * probability = 1 on, where count includes the packet itself, and the gaps are uniform on
// 1/probability..2/probability - 1.
//
// The share counts at each packet, with the probability of that moment. One number drawn for the whole gap would give the
// same gaps while the probability stands still; where it moves they would come too early on its way up and too late on
// its way down (docs/decisions/0040-the-draw.md).

#ifndef QUENCH_DRAW_P4
#define QUENCH_DRAW_P4

#include "types.p4"

const bit<64> DRAW_ONE = 1 << 32;
#define DRAW_SHIFT (MEAN_PACKETS_FRACTION_BITS - 8)

control Draw(
        in queue_index_t queue_index,
        in mean_packets_t increment,
        in probability_t probability,
        in bit<1> wait,
        out bit<1> chosen) {
    // Packets since the last mark.
    register<mean_packets_t>(MAX_QUEUES) count;
    // 0: it does not count yet, because the average was below the curve.
    register<bit<1>>(MAX_QUEUES) counting;

    action rest() {
        chosen = 0;
        count.write((bit<32>) queue_index, 0);
        counting.write((bit<32>) queue_index, 0);
    }

    // The first packet after a rest is never chosen unless the probability is 1: from it on is counted.
    action advance() {
        mean_packets_t before;
        bit<1> was_counting;
        bit<32> drawn;
        count.read(before, (bit<32>) queue_index);
        counting.read(was_counting, (bit<32>) queue_index);
        random<bit<32>>(drawn, 0, PROBABILITY_ONE - 1);
        mean_packets_t since = before |+| increment;
        // Products of counts and the probability, with 8 fractional bits more than a probability has.
        bit<64> reached = ((bit<64>) since * (bit<64>) probability) >> DRAW_SHIFT;
        bit<64> own = ((bit<64>) increment * (bit<64>) probability) >> DRAW_SHIFT;
        bit<64> passed = wait == 1 ? reached : reached - own;
        bit<64> least = wait == 1 ? DRAW_ONE : 0;
        bit<64> most = least + DRAW_ONE;
        bool falls = probability >= PROBABILITY_ONE || (was_counting == 1 && passed >= least
            && (passed >= most || (bit<64>) drawn * (most - passed) < (own << FRACTION_BITS)));
        chosen = falls ? 1w1 : 1w0;
        count.write((bit<32>) queue_index, falls ? 0 : since);
        counting.write((bit<32>) queue_index, 1);
    }

    apply {
        if (probability == 0) {
            rest();
        } else {
            advance();
        }
    }
}

#endif
