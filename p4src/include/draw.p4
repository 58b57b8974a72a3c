// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// RED's spread of marks without a division (Floyd and Jacobson 1993, section IX): one random number is drawn for each
// mark, and the mark falls when count * probability has grown past it. The gaps are then uniform on 1..1/probability.
// With `wait` the gaps are uniform on 1/probability..2/probability.

#ifndef QUENCH_DRAW_P4
#define QUENCH_DRAW_P4

#include "types.p4"

control Draw(
        in queue_index_t queue_index,
        in mean_packets_t increment,
        in probability_t probability,
        in bit<1> wait,
        out bit<1> chosen) {
    // Packets since the last mark.
    register<mean_packets_t>(MAX_QUEUES) count;
    // The number drawn, plus one; 0: none is drawn, because the average was below the curve.
    register<bit<32>>(MAX_QUEUES) goal;

    action rest() {
        chosen = 0;
        count.write((bit<32>) queue_index, 0);
        goal.write((bit<32>) queue_index, 0);
    }

    // The first packet after a rest is never chosen unless the probability is 1: it only draws.
    action advance() {
        mean_packets_t before;
        bit<32> drawn;
        bit<32> fresh;
        count.read(before, (bit<32>) queue_index);
        goal.read(drawn, (bit<32>) queue_index);
        random<bit<32>>(fresh, 1, PROBABILITY_ONE);
        mean_packets_t since = before |+| increment;
        bit<64> progress = ((bit<64>) since * (bit<64>) probability) >> MEAN_PACKETS_FRACTION_BITS;
        bit<64> needed = (bit<64>) drawn - 1 + (wait == 1 ? (bit<64>) PROBABILITY_ONE : 0);
        bool falls = probability >= PROBABILITY_ONE || (drawn != 0 && progress >= needed);
        chosen = falls ? 1w1 : 1w0;
        count.write((bit<32>) queue_index, falls ? 0 : since);
        goal.write((bit<32>) queue_index, falls || drawn == 0 ? fresh : drawn);
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
