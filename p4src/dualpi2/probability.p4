// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The proportional integral controller: the base probability p' from the delay of a port's queues and its change.
//
// There is no timer. A packet that departs brings the probability up to date, by as many steps as fit into the time that has
// passed. The steps keep their phase, as those of a timer do. Only egress changes this state.

#ifndef DUALPI2_PROBABILITY_P4
#define DUALPI2_PROBABILITY_P4

#include "metadata.p4"

@name(".base_probability")
register<probability32_t>(MAX_PORTS) base_probability;

// The delay at the last step, and the time of that step.
@name(".old_delay_us")
register<delay_us_t>(MAX_PORTS) old_delay_us;
@name(".updated_us")
register<time_us_t>(MAX_PORTS) updated_us;

// The wait of the last packet that left a queue, if others were behind it: index port ++ is_l4s.
@name(".wait_us")
register<delay_us_t>(MAX_PORTS * 2) wait_us;

// After so many steps, as a power of two, without a departure the controller begins anew.
#define MOST_STEPS_SHIFT 10
#define COUNT_STEPS(shift) \
    if (passed_us >= (time_us_t) settings.update_us << shift) { \
        passed_us = passed_us - ((time_us_t) settings.update_us << shift); \
        steps = steps + (1 << shift); \
    }

// The delay of the queue that a packet leaves is its own. That of the other is the one of the packet that left there last, if
// others waited behind it.
control ReadDelay(
        in port_t port,
        in bit<1> is_l4s,
        in bit<32> waited_us,
        in depth_t waiting_pkts,
        out delay_us_t delay_us) {
    delay_us_t other_us;

    apply {
        delay_us = waited_us > LONGEST_DELAY_US ? (delay_us_t) LONGEST_DELAY_US : (delay_us_t) waited_us;
        wait_us.read(other_us, (bit<32>) (port ++ ~is_l4s));
        // With none behind it the queue is empty: a wait of long ago says nothing of packets that come later.
        wait_us.write((bit<32>) (port ++ is_l4s), waiting_pkts == 0 ? 0 : delay_us);
        if (other_us > delay_us) {
            delay_us = other_us;
        }
    }
}

control UpdateProbability(
        in port_t port,
        in dualpi2_settings_t settings,
        in delay_us_t delay_us,
        in time_us_t now_us,
        out probability32_t probability) {
    time_us_t passed_us;
    delay_us_t old_us;
    bit<64> steps = 0;

    apply {
        base_probability.read(probability, (bit<32>) port);
        updated_us.read(passed_us, (bit<32>) port);
        passed_us = now_us - passed_us;
        if (passed_us >= (time_us_t) settings.update_us) {
            if (passed_us >= (time_us_t) settings.update_us << MOST_STEPS_SHIFT) {
                probability = 0;
                old_delay_us.write((bit<32>) port, 0);
                passed_us = 0;
            } else {
                // A P4 switch has no division.
                COUNT_STEPS(9)
                COUNT_STEPS(8)
                COUNT_STEPS(7)
                COUNT_STEPS(6)
                COUNT_STEPS(5)
                COUNT_STEPS(4)
                COUNT_STEPS(3)
                COUNT_STEPS(2)
                COUNT_STEPS(1)
                COUNT_STEPS(0)
                old_delay_us.read(old_us, (bit<32>) port);
                // A step adds alpha (delay - target) + beta (delay - old delay), and after the first the old delay is the delay.
                // No number needs a sign in the difference of two positive sums.
                bit<64> alpha = (bit<64>) settings.alpha * steps;
                bit<64> up = (alpha + (bit<64>) settings.beta) * (bit<64>) delay_us;
                bit<64> down = alpha * (bit<64>) settings.target_us + (bit<64>) settings.beta * (bit<64>) old_us;
                bit<64> sum = ((bit<64>) probability + (up |-| down)) |-| (down |-| up);
                probability = sum > (bit<64>) LARGEST_PROBABILITY ? LARGEST_PROBABILITY : (probability32_t) sum;
                old_delay_us.write((bit<32>) port, delay_us);
            }
            base_probability.write((bit<32>) port, probability);
            updated_us.write((bit<32>) port, now_us - passed_us);
        }
    }
}

#endif
