// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The queues' averages in ingress: egress sends states to it, because the pipelines share no register.

#ifndef QUENCH_TNA_STATE_P4
#define QUENCH_TNA_STATE_P4

#include "metadata.p4"

struct queue_state_t {
    bit<32> average;
    bit<32> stamp;        // in units of 65536 ns: wraps after 78 hours
}

// The two operands of the register's ALU, which has no more. For a store: the average and its time. For a read: the time,
// and the time before which states are too old.
control StateOperands(in copy_t state, in bool stores, in bit<48> now_ns, out bit<32> first, out bit<32> stamp) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) shift;

    action read_clock() {
        stamp = shift.get({ now_ns[47:16] });
    }

    // The lifetime is negative, because no ALU subtracts an action's argument.
    action set_lifetime(@id(1) bit<32> minus_lifetime) {
        stamp = stamp + minus_lifetime;
    }

    action set_time() {
        first = stamp;
    }

    action set_average() {
        first = state.average;
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
        if (stores) {
            set_average();
        } else {
            set_time();
            state_lifetime.apply();
        }
    }
}

// `average` is read only where `stores` is 0.
control QueueState(
        in ports_and_queue_t ports_and_queue,
        in bit<1> stores,
        in bit<32> first,
        in bit<32> stamp,
        @noWarn("uninitialized-out-param") out tna_average_t average) {
    Register<queue_state_t, queue_index_t>(MAX_QUEUES, { 0, 0 }) queue_average;

    RegisterAction<queue_state_t, queue_index_t, bit<32>>(queue_average) store_average = {
        void apply(inout queue_state_t value) {
            value.average = first;
            value.stamp = stamp;
        }
    };

    // A state that is older than a lifetime counts as an empty queue: a queue whose packets are all dropped sends no other.
    // The second comparison: a stamp in the future is an old one from before the clock wrapped.
    RegisterAction<queue_state_t, queue_index_t, bit<32>>(queue_average) read_average = {
        void apply(inout queue_state_t value, out bit<32> result) {
            result = 0;
            if (value.stamp >= stamp && value.stamp <= first) {
                result = value.average;
            }
        }
    };

    action do_store() {
        store_average.execute(QUEUE_INDEX_OF(ports_and_queue));
    }

    action do_read() {
        average = read_average.execute(QUEUE_INDEX_OF(ports_and_queue));
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
