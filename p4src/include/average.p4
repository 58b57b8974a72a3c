// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The average queue (Floyd and Jacobson 1993): an exponentially weighted moving average over the depth that the target
// reports, sampled at each departure, with a decay for the time in which the queue stood idle.

#ifndef QUENCH_AVERAGE_P4
#define QUENCH_AVERAGE_P4

#include "metadata.p4"

// Egress writes it; ingress reads it for the decisions that are taken on arrival.
@id(0x16000001) @name(".queue_average")
register<average_t>(MAX_QUEUES) queue_average;

@id(0x16000002) @name(".last_departure")
register<time_us_t>(MAX_QUEUES) last_departure;

// The depth that went into the average last, for what ingress tells the CPU.
@id(0x16000003) @name(".queue_depth")
register<depth_t>(MAX_QUEUES) queue_depth;

control AverageQueue(
        inout metadata_t meta,
        in standard_metadata_t standard_metadata,
        out average_t current) {
    bit<1> was_idle = 0;
    idle_key_t idle = 0;
    fraction_t decay = PROBABILITY_ONE;

    // The queue was idle from the end of the last transmission until this packet came, if it found nobody waiting.
    action measure_idle() {
        time_us_t last;
        last_departure.read(last, (bit<32>) meta.queue_index);
        last_departure.write((bit<32>) meta.queue_index, standard_metadata.egress_global_timestamp);
        time_us_t arrived = standard_metadata.egress_global_timestamp - (time_us_t) standard_metadata.deq_timedelta;
        time_us_t ended = last + (time_us_t) meta.profile.mean_transmission_us;
        time_us_t idle_us = arrived |-| ended;
        was_idle = (bit<1>) (standard_metadata.enq_qdepth == 0 && idle_us != 0);
        idle = (idle_us >> IDLE_KEY_SHIFT) > 0xfffff ? (idle_key_t) 0xfffff : idle_us[IDLE_KEY_SHIFT + 19:IDLE_KEY_SHIFT];
    }

    @id(0x01000020)
    action decay_by(
            @id(1) idle_key_t start,
            @id(2) fraction_t base,
            @id(3) fraction_t slope) {
        decay = base - (bit<32>) (((bit<64>) (idle - start) * (bit<64>) slope) >> 8);
    }

    // (1 - weight) ^ (idle time / mean transmission time), as a chain of straight pieces for each profile.
    @id(0x02000020)
    table idle_decay {
        key = {
            meta.profile.id: exact @id(1) @name("profile");
            idle: range @id(2) @name("idle");
        }
        actions = {
            decay_by;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = CURVE_SEGMENTS;
    }

    action fold_in_sample() {
        average_t old;
        queue_average.read(old, (bit<32>) meta.queue_index);
        // Rounded, not cut off: else a small weight or a short idle time would let the average sink by itself.
        int<64> decayed = ((int<64>) (bit<64>) old * (int<64>) (bit<64>) decay + FRACTION_HALF) >> FRACTION_BITS;
        int<64> sample = (int<64>) ((bit<64>) standard_metadata.deq_qdepth << AVERAGE_FRACTION_BITS);
        int<64> step = ((sample - decayed) * (int<64>) (bit<64>) meta.profile.weight + FRACTION_HALF) >> FRACTION_BITS;
        current = (average_t) (bit<64>) (decayed + step);
        queue_average.write((bit<32>) meta.queue_index, current);
        queue_depth.write((bit<32>) meta.queue_index, standard_metadata.deq_qdepth);
    }

    apply {
        measure_idle();
        if (was_idle == 1) {
            idle_decay.apply();
        }
        fold_in_sample();
    }
}

#endif
