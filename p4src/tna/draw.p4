// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// RED's spread of marks, as in ../draw.p4, apart from v1model because no ALU multiplies. `count` is what has come since the
// last packet that was selected, in bytes or in sixteenths of a packet. ../draw.p4 selects a packet if
//
//   random * (most - count * probability) < size * probability        and count * probability >= least
//
// for `random` between 0 and 1. Here both are divided by the probability, which is the row's: the control plane writes
// `most` and `least` as counts, and a table has size / random, the packet's `reach`. So a packet is selected from
// max(most - reach, least) on. Each packet draws its own number, so that the probability of this moment counts.

#ifndef QUENCH_TNA_DRAW_P4
#define QUENCH_TNA_DRAW_P4

#include "metadata.p4"

// Ingress draws the numbers of all packets, before it knows whether the queue has a profile: that saves a stage.
control DrawNumbers(out bit<32> number1, out bit<32> number2) {
    Random<bit<32>>() random1;
    Random<bit<32>>() random2;

    action draw_number1() {
        number1 = random1.get();
    }

    action draw_number2() {
        number2 = random2.get();
    }

    apply {
        draw_number1();
        draw_number2();
    }
}

// The count from which on the packet is selected.
control Threshold(in bit<32> number, in log_t size_code, in count_t most, in count_t least, out count_t threshold) {
    log_t reach_code = 0;

    // A product is a sum of logarithms: of the size, and of 1 / random.
    action set_code(@id(1) log_t code) {
        reach_code = size_code + code;
    }

    table code_of_number {
        key = {
            number[NUMBER_BITS - 1:0]: ternary @id(1) @name("number");
        }
        actions = {
            set_code;
        }
        default_action = set_code(0);
        size = NUMBER_CODES;
    }

    // The reach is negative, because no ALU subtracts an action's argument.
    action subtract_reach(@id(1) bit<32> minus_reach) {
        threshold = most + (count_t) minus_reach;
    }

    table reach_of_code {
        key = {
            reach_code: exact @id(1) @name("code");
        }
        actions = {
            subtract_reach;
        }
        // Only the smallest numbers of large packets have no code.
        default_action = subtract_reach(LONGEST_REACH);
        size = REACH_CODES;
    }

    action limit() {
        threshold = max(threshold, least);
    }

    apply {
        code_of_number.apply();
        reach_of_code.apply();
        limit();
    }
}

control Draw(
        in ports_and_queue_t ports_and_queue,
        in selection_t selection,
        in bit<16> packet_size,
        in count_t threshold,
        inout bit<1> selected) {
    // Less than 0: nothing is counted, because the probability was 0 at the last packet.
    Register<count_t, queue_index_t>(MAX_QUEUES, -1) count;

    RegisterAction<count_t, queue_index_t, bit<1>>(count) clear_count = {
        void apply(inout count_t value) {
            value = -1;
        }
    };

    // Thresholds are not negative. So the first packet after a reset starts the count, and is not selected.
    RegisterAction<count_t, queue_index_t, bit<1>>(count) advance = {
        void apply(inout count_t value, out bit<1> is_selected) {
            is_selected = 0;
            if (value >= threshold) {
                is_selected = 1;
                value = 0;
            } else {
                value = value + (count_t) (bit<32>) packet_size;
            }
        }
    };

    RegisterAction<count_t, queue_index_t, bit<1>>(count) restart_count = {
        void apply(inout count_t value) {
            value = 0;
        }
    };

    action reset() {
        clear_count.execute(QUEUE_INDEX_OF(ports_and_queue));
        selected = 0;
    }

    action count_packet() {
        selected = advance.execute(QUEUE_INDEX_OF(ports_and_queue));
    }

    action select_packet() {
        restart_count.execute(QUEUE_INDEX_OF(ports_and_queue));
        selected = 1;
    }

    table draw {
        key = {
            selection: exact;
        }
        actions = {
            reset;
            count_packet;
            select_packet;
            @defaultonly NoAction;
        }
        const entries = {
            selection_t.NEVER: reset();
            selection_t.BY_DRAW: count_packet();
            selection_t.ALWAYS: select_packet();
        }
        const default_action = NoAction();
        size = 3;
    }

    apply {
        draw.apply();
    }
}

#endif
