// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// RED's spread of marks (Floyd and Jacobson 1993, section IX), apart from v1model because no ALU multiplies. After each
// selected packet an interval is drawn at random. Each packet subtracts its step, which is its probability, from the
// interval. The packet that uses it up is selected. The gaps are then uniform on 1..1/probability; with `wait` on
// 1/probability..2/probability.

#ifndef QUENCH_TNA_DRAW_P4
#define QUENCH_TNA_DRAW_P4

#include "metadata.p4"

// The next interval: 24 random bits, odd so that it is never 0; with `wait` plus 1.0.
control SampleInterval(in bit<1> wait, out step_t interval) {
    Random<bit<32>>() random;

    action draw_number() {
        interval = random.get();
    }

    action keep_24_bits() {
        interval = interval & 0x00fffffe;
    }

    action make_odd() {
        interval = interval | 0x00000001;
    }

    action make_odd_and_add_one() {
        interval = interval | 0x01000001;
    }

    apply {
        draw_number();
        keep_24_bits();
        if (wait == 1) {
            make_odd_and_add_one();
        } else {
            make_odd();
        }
    }
}

// `draw` has an entry for each value that `choice` takes, so one of them writes `selected`.
control Draw(
        in ports_and_queue_t ports_and_queue,
        in choice_t choice,
        in step_t step,
        in step_t interval,
        @noWarn("uninitialized-out-param") out bit<1> selected) {
    // The rest of the interval. 0: none is drawn, because the probability was 0 at the last packet.
    @name("left")
    Register<step_t, queue_index_t>(MAX_QUEUES, 0) remaining;

    RegisterAction<step_t, queue_index_t, bit<1>>(remaining) clear_interval = {
        void apply(inout step_t value) {
            value = 0;
        }
    };

    // The first packet after a reset only draws an interval.
    RegisterAction<step_t, queue_index_t, bit<1>>(remaining) advance = {
        void apply(inout step_t value, out bit<1> is_selected) {
            is_selected = 0;
            if (value != 0 && value <= step) {
                is_selected = 1;
            }
            if (value <= step) {
                value = interval;
            } else {
                value = value - step;
            }
        }
    };

    RegisterAction<step_t, queue_index_t, bit<1>>(remaining) restart_interval = {
        void apply(inout step_t value) {
            value = interval;
        }
    };

    action reset() {
        clear_interval.execute(QUEUE_INDEX_OF(ports_and_queue));
        selected = 0;
    }

    action count_packet() {
        selected = advance.execute(QUEUE_INDEX_OF(ports_and_queue));
    }

    action select_packet() {
        restart_interval.execute(QUEUE_INDEX_OF(ports_and_queue));
        selected = 1;
    }

    table draw {
        key = {
            choice: exact;
        }
        actions = {
            reset;
            count_packet;
            select_packet;
            @defaultonly NoAction;
        }
        const entries = {
            CHOICE_NEVER: reset();
            CHOICE_DRAW: count_packet();
            CHOICE_ALWAYS: select_packet();
        }
        const default_action = NoAction();
        size = 3;
    }

    apply {
        draw.apply();
    }
}

#endif
