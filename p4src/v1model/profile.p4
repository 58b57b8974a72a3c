// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The congestion profile of a queue, and its parameters.
//
// To change a profile, the controller writes all rows of the new one under an unused id. Then it writes that id for the
// queue: one write, atomic.

#ifndef QUENCH_PROFILE_P4
#define QUENCH_PROFILE_P4

#include "metadata.p4"

// A queue without a profile leaves `parameters` as they are: not active.
control Profile(in port_t port, in queue_t queue, inout profile_parameters_t parameters) {
    @id(0x01000010)
    action use_profile(@id(1) profile_t profile) {
        parameters.id = profile;
    }

    @id(0x02000010)
    table queue_profile {
        key = {
            port: exact @id(1) @name("port");
            queue: exact @id(2) @name("queue");
        }
        actions = {
            use_profile;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = MAX_QUEUES;
    }

    @id(0x01000011)
    action set_parameters(
            @id(1) fraction_t weight,
            @id(2) transmission_q8_us_t mean_transmission_q8_us,
            @id(3) bit<32> decay_rate,
            @id(4) bit<8> decay_shift,
            @id(5) mean_packets_t count_per_packet,
            @id(6) fraction_t count_per_byte,
            @id(7) bit<1> wait,
            @id(8) bit<1> mark_at_tail,
            @id(9) ecn_t level1_codepoint,
            @id(10) ecn_t level2_codepoint,
            @id(11) bit<32> report_interval_us,
            @id(12) bit<1> isq_in_dataplane,
            @id(13) dscp_t once_per_path_mask,
            @id(14) bit<1> spare_empty
#ifdef QUENCH_EXTENDED
            , @id(15) fraction_t depth_per_byte
#endif
            ) {
        parameters.active = 1;
        parameters.weight = weight;
        parameters.mean_transmission_q8_us = mean_transmission_q8_us;
        parameters.decay_rate = decay_rate;
        parameters.decay_shift = decay_shift;
        parameters.count_per_packet = count_per_packet;
        parameters.count_per_byte = count_per_byte;
        parameters.wait = wait;
        parameters.mark_at_tail = mark_at_tail;
        parameters.level1_codepoint = level1_codepoint;
        parameters.level2_codepoint = level2_codepoint;
        parameters.report_interval_us = report_interval_us;
        parameters.isq_in_dataplane = isq_in_dataplane;
        parameters.once_per_path_mask = once_per_path_mask;
        parameters.spare_empty = spare_empty;
#ifdef QUENCH_EXTENDED
        parameters.depth_per_byte = depth_per_byte;
#endif
    }

    @id(0x02000011)
    table profile_parameters {
        key = {
            parameters.id: exact @id(1) @name("profile");
        }
        actions = {
            set_parameters;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = PROFILES;
    }

    apply {
        if (queue_profile.apply().hit) {
            profile_parameters.apply();
        }
    }
}

#endif
