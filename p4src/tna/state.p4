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

control StateOperands(
        in copy_t state,
        in bool is_state,
        in time_ns_t now_ns,
        inout state_operands_t operands,
        inout bit<1> stores) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) shift;

    action read_clock() {
        operands.stamp = shift.get({ STATE_STAMP_OF(now_ns) });
    }

    // The lifetime is negative, because no ALU subtracts an action's argument.
    action set_lifetime(@id(1) bit<32> minus_lifetime) {
        operands.stamp = operands.stamp + minus_lifetime;
    }

    action set_time() {
        operands.first = operands.stamp;
    }

    action set_average() {
        operands.first = state.average;
        stores = 1;
    }

    // It should be longer than a full queue takes to drain.
    table state_lifetime {
        actions = {
            set_lifetime;
        }
        default_action = set_lifetime(-STATE_LIFETIME);
        size = 1;
    }

    apply {
        read_clock();
        if (is_state) {
            set_average();
        } else {
            set_time();
            state_lifetime.apply();
        }
    }
}

// Whether the queue has become empty, or is empty no more, since the last departure.
control Emptiness(in ports_and_queue_t ports_and_queue, in bit<8> is_empty, out bit<1> changed) {
    Register<bit<8>, queue_index_t>(MAX_QUEUES, 0) last;

    RegisterAction<bit<8>, queue_index_t, bit<1>>(last) exchange = {
        void apply(inout bit<8> value, out bit<1> differs) {
            differs = 0;
            if (value != is_empty) {
                differs = 1;
            }
            value = is_empty;
        }
    };

    action compare() {
        changed = exchange.execute(QUEUE_INDEX_OF(ports_and_queue));
    }

    apply {
        compare();
    }
}

control QueueState(
        in ports_and_queue_t ports_and_queue,
        in bit<1> stores,
        in state_operands_t operands,
        out tna_average_t average) {
    Register<queue_state_t, queue_index_t>(MAX_QUEUES, { 0, 0 }) queue_average;

    RegisterAction<queue_state_t, queue_index_t, bit<32>>(queue_average) store_average = {
        void apply(inout queue_state_t value) {
            value.average = operands.first;
            value.stamp = operands.stamp;
        }
    };

    // A state that is older than a lifetime counts as an empty queue: a queue whose packets are all dropped sends no other.
    // The second comparison: a stamp in the future is an old one from before the clock wrapped.
    RegisterAction<queue_state_t, queue_index_t, bit<32>>(queue_average) read_average = {
        void apply(inout queue_state_t value, out bit<32> result) {
            result = 0;
            if (value.stamp >= operands.stamp && value.stamp <= operands.first) {
                result = value.average;
            }
        }
    };

    action do_store() {
        store_average.execute(QUEUE_INDEX_OF(ports_and_queue));
        average = 0;
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
