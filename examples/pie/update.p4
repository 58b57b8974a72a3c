// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// PIE's periodic step (RFC 8033, section 4.2): the new probability from the delay, and the rest of the burst.

#ifndef PIE_UPDATE_P4
#define PIE_UPDATE_P4

typedef bit<32> probability_t;  // in 2^-32

const probability_t LARGEST_PROBABILITY = 0xffffffff;
const probability_t SMALL_PROBABILITY = 858993459;  // 0.2
const probability_t STEPS_ARE_CAPPED_FROM = 429496730;  // 0.1
const bit<64> LARGEST_STEP = 85899346;  // 0.02
const bit<32> LONG_DELAY_US = 250000;

struct parameters_t {
    bit<32>       target_us;
    bit<32>       update_us;
    bit<32>       burst_us;
    bit<32>       alpha;       // in 2^-32 for each us of delay
    bit<32>       beta;
    probability_t mark_below;  // from this probability on ECT packets are dropped, too
}

struct state_t {
    bit<32>       delay_us;
    bit<32>       old_delay_us;
    bit<32>       burst_left_us;
    probability_t probability;
}

control Update(in parameters_t parameters, inout state_t state) {
    apply {
        // alpha (delay - target) + beta (delay - old delay), as the difference of two positive sums: no sign is needed.
        bit<64> up = (bit<64>) (parameters.alpha + parameters.beta) * (bit<64>) state.delay_us;
        bit<64> down = (bit<64>) parameters.alpha * (bit<64>) parameters.target_us
            + (bit<64>) parameters.beta * (bit<64>) state.old_delay_us;
        bit<64> rise = up |-| down;
        bit<64> fall = down |-| up;

        // The steps of a small probability are small. A P4 switch has no division, the RFC's divisors are powers of two.
        bit<8> shift = 0;
        if (state.probability < 4295) {  // 0.000001
            shift = 11;
        } else if (state.probability < 42950) {
            shift = 9;
        } else if (state.probability < 429497) {
            shift = 7;
        } else if (state.probability < 4294967) {
            shift = 5;
        } else if (state.probability < 42949673) {
            shift = 3;
        } else if (state.probability < 429496730) {
            shift = 1;
        }
        rise = rise >> shift;
        fall = fall >> shift;
        if (state.probability >= STEPS_ARE_CAPPED_FROM && rise > LARGEST_STEP) {
            rise = LARGEST_STEP;
        }
        if (state.delay_us > LONG_DELAY_US) {
            rise = rise |+| LARGEST_STEP;
        }
        bit<64> sum = ((bit<64>) state.probability |+| rise) |-| fall;
        if (sum > (bit<64>) LARGEST_PROBABILITY) {
            sum = (bit<64>) LARGEST_PROBABILITY;
        }
        state.probability = (probability_t) sum;
        if (state.delay_us == 0 && state.old_delay_us == 0) {
            state.probability = state.probability - (state.probability >> 6);
        }

        state.burst_left_us = state.burst_left_us |-| parameters.update_us;
        bit<32> half_us = parameters.target_us >> 1;
        if (state.probability == 0 && state.delay_us < half_us && state.old_delay_us < half_us) {
            state.burst_left_us = parameters.burst_us;
        }
        state.old_delay_us = state.delay_us;
    }
}

#endif
