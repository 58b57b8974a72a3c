// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The average queue, by the low-pass filter of the hardware. Apart from v1model because no ALU multiplies. At each
// departure the average moves towards the depth by 1 - exp(-t / time constant), t being the time since the last departure.
// With the time constant -s / ln(1 - wq), s the transmission time of a packet of mean size, that is RED's weight wq if
// packets follow each other and RED's decay if the queue was idle (Floyd and Jacobson 1993). The control plane sets each
// queue's time constant.

#ifndef QUENCH_TNA_AVERAGE_P4
#define QUENCH_TNA_AVERAGE_P4

#include "metadata.p4"

control AverageQueue(in ports_and_queue_t ports_and_queue, in depth_t depth_cells, out tna_average_t average) {
    Lpf<tna_average_t, queue_index_t>(MAX_QUEUES) queue_average;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) shift;

    tna_average_t sample;

    action scale() {
        sample = shift.get({ 1w0, depth_cells, (bit<CELLS_TO_AVERAGE_SHIFT>) 0 });
    }

    action fold_in_sample() {
        average = queue_average.execute(sample, QUEUE_INDEX_OF(ports_and_queue));
    }

    apply {
        scale();
        fold_in_sample();
    }
}

#endif
