// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The decay of an average by idle time (Floyd and Jacobson 1993, section IV): it is multiplied by
// (1 - weight) ^ (idle time / mean transmission time).
//
// As a power of two its exponent is a product: the controller computes log2(1 / (1 - weight)) / mean transmission time as
// decay_rate / 2^(decay_shift + FRACTION_BITS) for each 1/256 us. The whole halvings are a shift. The part of a halving f is
// a polynomial: 2^-f within 7e-6 of itself, exact at both ends, and with the exact slope at 0, because many short idle
// times must not differ from one long one.

#ifndef QUENCH_IDLE_DECAY_P4
#define QUENCH_IDLE_DECAY_P4

#include "metadata.p4"

// Coefficients of 1 - f (C1 - f (C2 - f (C3 - f C4))), scaled as fractions.
const bit<64> DECAY_C1 = 2977044472;   // ln 2
const bit<64> DECAY_C2 = 1030131968;
const bit<64> DECAY_C3 = 230965910;
const bit<64> DECAY_C4 = 30394766;

// From here on an average is 0.
const product_t MAX_HALVINGS = 64 << FRACTION_BITS;

// A queue is idle from `busy_q8_us` after its last departure until now.
control IdleDecay(
        in profile_parameters_t profile,
        in time_us_t last_departure,
        in time_us_t now,
        in product_t busy_q8_us,
        inout average_t average) {
    product_t idle_q8_us;
    product_t halvings;    // with FRACTION_BITS
    fraction_t decay;

    action measure_idle() {
        idle_q8_us = ((product_t) (now |-| last_departure) << TIME_FRACTION_BITS) |-| busy_q8_us;
    }

    action count_halvings() {
        decay = 0;
        halvings = (idle_q8_us * (product_t) profile.decay_rate) >> profile.decay_shift;
    }

    action halve() {
        bit<64> part = (bit<64>) halvings & FRACTION_MASK;
        bit<64> inner = DECAY_C3 - ((part * DECAY_C4) >> FRACTION_BITS);
        bit<64> middle = DECAY_C2 - ((part * inner) >> FRACTION_BITS);
        bit<64> outer = DECAY_C1 - ((part * middle) >> FRACTION_BITS);
        bit<64> power = (bit<64>) FRACTION_ONE - ((part * outer) >> FRACTION_BITS);
        decay = (fraction_t) (power >> (bit<8>) (halvings >> FRACTION_BITS));
    }

    action shrink() {
        average = (average_t) ROUNDED_FRACTION((product_t) average * (product_t) decay);
    }

    apply {
        measure_idle();
        if (idle_q8_us != 0) {
            count_halvings();
            if (halvings < MAX_HALVINGS) {
                halve();
            }
            shrink();
        }
    }
}

#endif
