// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// RED's spread of marks without a division (Floyd and Jacobson 1993). When `count` packets have come since the last one that
// was selected, the next is selected with the chance probability / (1 - count * probability), so that the gaps are uniform
// on 1..1/probability. With `wait`, as in ns-2, the chance is probability / (2 - count * probability) from
// count * probability = 1 on, where count includes the packet itself, and the gaps are uniform on
// 1/probability..2/probability - 1.
//
// Each packet draws its own number against the probability of that moment. One number drawn for the whole gap would give the
// same gaps while the probability is constant. Marks would come too early while it rises, and too late while it falls
// (docs/decisions/0040-the-draw.md).

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
        out bit<1> selected) {
    // Packets since the last one that was selected.
    register<mean_packets_t>(MAX_QUEUES) count;
    // 0: nothing is counted, because the probability was 0 at the last packet.
    register<bit<1>>(MAX_QUEUES) counting;

    @name("rest")      // in P4Info, where the id follows from the name
    action reset() {
        selected = 0;
        count.write((bit<32>) queue_index, 0);
        counting.write((bit<32>) queue_index, 0);
    }

    // The first packet after a reset starts the count. It is selected only if the probability is 1.
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
        bool is_selected = probability >= PROBABILITY_ONE || (was_counting == 1 && passed >= least
            && (passed >= most || (bit<64>) drawn * (most - passed) < (own << FRACTION_BITS)));
        selected = is_selected ? 1w1 : 1w0;
        count.write((bit<32>) queue_index, is_selected ? 0 : since);
        counting.write((bit<32>) queue_index, 1);
    }

    apply {
        if (probability == 0) {
            reset();
        } else {
            advance();
        }
    }
}

#endif
