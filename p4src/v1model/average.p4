// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The average queue (Floyd and Jacobson 1993): an exponentially weighted moving average over the depth that the target
// reports, sampled at each departure, with a decay for the time in which the queue stood idle. Egress writes it, ingress
// reads it for the decision on arrival.

#ifndef QUENCH_AVERAGE_P4
#define QUENCH_AVERAGE_P4

#include "metadata.p4"
#include "idle_decay.p4"

@id(0x16000001) @name(".queue_average")
register<average_t>(MAX_QUEUES) queue_average;

@id(0x16000002) @name(".last_departure")
register<time_us_t>(MAX_QUEUES) last_departure;

// The depth at the last departure.
@id(0x16000003) @name(".queue_depth")
register<depth_t>(MAX_QUEUES) departure_depth;

// The average of a queue with the packet that is leaving it.
control AverageQueue(
        in queue_index_t queue_index,
        in profile_parameters_t profile,
        in standard_metadata_t standard_metadata,
        out queue_state_t queue_state) {
    IdleDecay() departure_decay;

    time_us_t last;

    action read_last_state() {
        queue_average.read(queue_state.average, (bit<32>) queue_index);
        last_departure.read(last, (bit<32>) queue_index);
    }

    action fold_in_sample() {
        signed_product_t old = (signed_product_t) (product_t) queue_state.average;
        signed_product_t sample = (signed_product_t) ((product_t) standard_metadata.deq_qdepth << AVERAGE_FRACTION_BITS);
        signed_product_t weighed = (sample - old) * (signed_product_t) (product_t) profile.weight;
        queue_state.average = (average_t) (product_t) (old + ROUNDED_FRACTION(weighed));
        queue_state.depth_pkts = standard_metadata.deq_qdepth;
    }

    action write_state() {
        queue_average.write((bit<32>) queue_index, queue_state.average);
        last_departure.write((bit<32>) queue_index, standard_metadata.egress_global_timestamp);
        departure_depth.write((bit<32>) queue_index, queue_state.depth_pkts);
    }

    apply {
        @atomic {
            read_last_state();
            // A queue that was empty when this packet came was idle from the end of the last transmission until then.
            if (standard_metadata.enq_qdepth == 0) {
                departure_decay.apply(
                    profile,
                    last,
                    standard_metadata.egress_global_timestamp - (time_us_t) standard_metadata.deq_timedelta,
                    (product_t) profile.mean_transmission_q8_us,
                    queue_state.average);
            }
            fold_in_sample();
            write_state();
        }
    }
}

// The average of a queue at the arrival of a packet, and the depth that the last departure left. Ingress decays the
// average too: if it drops all packets of a queue, egress decays nothing, and the queue would drop packets for ever.
control ReadAverage(
        in queue_index_t queue_index,
        in profile_parameters_t profile,
        in time_us_t now,
        out queue_state_t queue_state) {
    IdleDecay() arrival_decay;

    time_us_t last;
    product_t busy_q8_us;

    // A queue that the last departure left empty is idle since the end of that transmission. A depth does not count for
    // ever: packets without a profile leave a queue without a trace in its registers.
    action read_last_state() {
        queue_average.read(queue_state.average, (bit<32>) queue_index);
        departure_depth.read(queue_state.depth_pkts, (bit<32>) queue_index);
        last_departure.read(last, (bit<32>) queue_index);
        product_t mean_q8_us = (product_t) profile.mean_transmission_q8_us;
        busy_q8_us = queue_state.depth_pkts == 0
            ? mean_q8_us : (mean_q8_us * ((product_t) queue_state.depth_pkts + 1)) << STALLED_SHIFT;
    }

    apply {
        @atomic {
            read_last_state();
        }
        arrival_decay.apply(profile, last, now, busy_q8_us, queue_state.average);
    }
}

#endif
