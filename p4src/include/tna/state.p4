// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// What ingress knows of the queues: the last state that egress has sent it. The pipelines share no register.

#ifndef QUENCH_TNA_STATE_P4
#define QUENCH_TNA_STATE_P4

#include "metadata.p4"

struct queue_state_t {
    bit<32> average;
    bit<32> stamp;        // in units of 65536 ns: wraps after 78 hours
}

// The time of a state that is stored; the time before which states have died, for who reads.
control StateClock(in bool stores, in bit<48> now_ns, out bit<32> stamp) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) shift;

    action read_clock() {
        stamp = shift.get({ now_ns[47:16] });
    }

    // The lifetime is negative, because no ALU subtracts what a table says.
    action set_lifetime(@id(1) bit<32> minus_lifetime) {
        stamp = stamp + minus_lifetime;
    }

    // 153 * 65.536 us: 10 ms. It should be longer than a full queue takes to drain.
    table state_lifetime {
        actions = {
            set_lifetime;
        }
        default_action = set_lifetime(0 - 32w153);
        size = 1;
    }

    apply {
        read_clock();
        if (!stores) {
            state_lifetime.apply();
        }
    }
}

control QueueState(
        in place_t place,
        in bit<1> stores,
        in bit<32> stamp,
        in copy_t state,
        out tna_average_t average) {
    Register<queue_state_t, queue_index_t>(MAX_QUEUES, { 0, 0 }) queue_average;

    RegisterAction<queue_state_t, queue_index_t, bit<32>>(queue_average) store_average = {
        void apply(inout queue_state_t value) {
            value.average = state.average;
            value.stamp = stamp;
        }
    };

    // A state that is older than a lifetime counts as an empty queue: a queue whose packets are all dropped sends no other.
    RegisterAction<queue_state_t, queue_index_t, bit<32>>(queue_average) read_average = {
        void apply(inout queue_state_t value, out bit<32> result) {
            result = 0;
            if (value.stamp >= stamp) {
                result = value.average;
            }
        }
    };

    action do_store() {
        store_average.execute(QUEUE_OF(place));
    }

    action do_read() {
        average = read_average.execute(QUEUE_OF(place));
    }

    apply {
        if (stores == 1) {
            do_store();
        } else {
            do_read();
        }
    }
}

#endif
