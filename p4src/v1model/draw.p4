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

// A product of a count and a probability: 1.0.
const product_t DRAW_ONE = 1 << (MEAN_PACKETS_FRACTION_BITS + PROBABILITY_FRACTION_BITS);
#define DRAWN_BITS 48

control Draw(
        in queue_index_t queue_index,
        in mean_packets_t increment,
        in probability_t probability,
        in bit<1> wait,
        out bit<1> selected) {
    // Packets since the last one that was selected.
    register<packet_count_t>(MAX_QUEUES) count;
    // 0: nothing is counted, because the probability was 0 at the last packet.
    register<bit<1>>(MAX_QUEUES) counting;

    @name("rest")      // in P4Info, where the id follows from the name
    action reset() {
        selected = 0;
        @atomic {
            count.write((bit<32>) queue_index, 0);
            counting.write((bit<32>) queue_index, 0);
        }
    }

    // The first packet after a reset starts the count. It is selected only if the probability is 1.
    action advance() {
        @atomic {
            packet_count_t before;
            bit<1> was_counting;
            bit<DRAWN_BITS> drawn;
            count.read(before, (bit<32>) queue_index);
            counting.read(was_counting, (bit<32>) queue_index);
            random<bit<DRAWN_BITS>>(drawn, 0, (1 << DRAWN_BITS) - 1);
            packet_count_t since = before |+| (packet_count_t) increment;
            product_t reached = (product_t) since * (product_t) probability;
            product_t own = (product_t) increment * (product_t) probability;
            product_t passed = wait == 1 ? reached : reached - own;
            product_t least = wait == 1 ? DRAW_ONE : 0;
            product_t most = least + DRAW_ONE;
            bool is_selected = probability >= PROBABILITY_ONE || (was_counting == 1 && passed >= least
                && (passed >= most || (product_t) drawn * (most - passed) < (own << DRAWN_BITS)));
            selected = is_selected ? 1w1 : 1w0;
            count.write((bit<32>) queue_index, is_selected ? 0 : since);
            counting.write((bit<32>) queue_index, 1);
        }
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
