// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// RED's spread of marks (Floyd and Jacobson 1993, section IX) without multiplication: one random number is drawn for each
// mark, the packets that follow take their probability away from it, and the mark falls where nothing is left. The gaps
// are then uniform on 1..1/probability; with `wait` on 1/probability..2/probability.

#ifndef QUENCH_TNA_DRAW_P4
#define QUENCH_TNA_DRAW_P4

#include "metadata.p4"

// The next number: odd, so that it is never 0, with 24 bits; with `wait` plus 1.0.
control Goal(in bit<1> wait, out step_t goal) {
    Random<bit<32>>() random;

    action draw_number() {
        goal = random.get();
    }

    action cut() {
        goal = goal & 0x00fffffe;
    }

    action lift() {
        goal = goal | 0x00000001;
    }

    action lift_by_one() {
        goal = goal | 0x01000001;
    }

    apply {
        draw_number();
        cut();
        if (wait == 1) {
            lift_by_one();
        } else {
            lift();
        }
    }
}

control Draw(in place_t place, in choice_t choice, in step_t step, in step_t goal, out bit<1> chosen) {
    // What is left of the number drawn; 0: none is drawn, because the average was below the curve.
    Register<step_t, queue_index_t>(MAX_QUEUES, 0) left;

    RegisterAction<step_t, queue_index_t, bit<1>>(left) put_away = {
        void apply(inout step_t value) {
            value = 0;
        }
    };

    // The first packet after a rest only draws.
    RegisterAction<step_t, queue_index_t, bit<1>>(left) advance = {
        void apply(inout step_t value, out bit<1> falls) {
            falls = 0;
            if (value != 0 && value <= step) {
                falls = 1;
            }
            if (value <= step) {
                value = goal;
            } else {
                value = value - step;
            }
        }
    };

    RegisterAction<step_t, queue_index_t, bit<1>>(left) draw_anew = {
        void apply(inout step_t value) {
            value = goal;
        }
    };

    action rest() {
        put_away.execute(QUEUE_OF(place));
        chosen = 0;
    }

    action take() {
        chosen = advance.execute(QUEUE_OF(place));
    }

    action choose() {
        draw_anew.execute(QUEUE_OF(place));
        chosen = 1;
    }

    table draw {
        key = {
            choice: exact;
        }
        actions = {
            rest;
            take;
            choose;
            @defaultonly NoAction;
        }
        const entries = {
            CHOICE_NEVER: rest();
            CHOICE_DRAW: take();
            CHOICE_ALWAYS: choose();
        }
        const default_action = NoAction();
        size = 3;
    }

    apply {
        draw.apply();
    }
}

#endif
