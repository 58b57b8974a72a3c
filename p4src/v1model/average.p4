// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The average queue (Floyd and Jacobson 1993): an exponentially weighted moving average over the depth that the target
// reports, sampled at each departure, with a decay for the time in which the queue stood idle.

#ifndef QUENCH_AVERAGE_P4
#define QUENCH_AVERAGE_P4

#include "metadata.p4"
#include "idle_decay.p4"

// Egress writes it. Ingress reads it for the decision on arrival.
@id(0x16000001) @name(".queue_average")
register<average_t>(MAX_QUEUES) queue_average;

@id(0x16000002) @name(".last_departure")
register<time_us_t>(MAX_QUEUES) last_departure;

// The depth at the last departure: for the copies that ingress makes, and for the idle time.
@id(0x16000003) @name(".queue_depth")
register<depth_t>(MAX_QUEUES) queue_depth;

control AverageQueue(
        inout metadata_t meta,
        in standard_metadata_t standard_metadata,
        out average_t current) {
    IdleDecay() departure_decay;

    idle_q8_us_t idle_q8_us = 0;
    fraction_t decay = FRACTION_ONE;

    // A queue that was empty when this packet came was idle from the end of the last transmission until then.
    action measure_idle() {
        time_us_t last;
        last_departure.read(last, (bit<32>) meta.queue_index);
        last_departure.write((bit<32>) meta.queue_index, standard_metadata.egress_global_timestamp);
        time_us_t arrived = standard_metadata.egress_global_timestamp - (time_us_t) standard_metadata.deq_timedelta;
        idle_q8_us_t since_last = (idle_q8_us_t) (arrived |-| last) << TIME_FRACTION_BITS;
        idle_q8_us = standard_metadata.enq_qdepth == 0
            ? since_last |-| (idle_q8_us_t) meta.profile.mean_transmission_q8_us : 0;
    }

    action fold_in_sample() {
        average_t old;
        queue_average.read(old, (bit<32>) meta.queue_index);
        // Rounded: truncation would lower the average at every packet if the weight is small or the idle time short.
        signed_product_t kept = (signed_product_t) (product_t) old * (signed_product_t) (product_t) decay;
        signed_product_t decayed = (kept + FRACTION_HALF) >> FRACTION_BITS;
        signed_product_t sample = (signed_product_t) ((product_t) standard_metadata.deq_qdepth << AVERAGE_FRACTION_BITS);
        signed_product_t weighed = (sample - decayed) * (signed_product_t) (product_t) meta.profile.weight;
        current = (average_t) (product_t) (decayed + ((weighed + FRACTION_HALF) >> FRACTION_BITS));
        queue_average.write((bit<32>) meta.queue_index, current);
        queue_depth.write((bit<32>) meta.queue_index, standard_metadata.deq_qdepth);
    }

    apply {
        measure_idle();
        if (idle_q8_us != 0) {
            departure_decay.apply(meta.profile, idle_q8_us, decay);
        }
        fold_in_sample();
    }
}

#endif
