// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The congestion profile of a queue, and its parameters.
//
// To change a profile, the controller writes all rows of the new one under an unused id. Then it writes that id for the
// queue: one write, atomic.

#ifndef QUENCH_PROFILE_P4
#define QUENCH_PROFILE_P4

#include "metadata.p4"

control Profile(inout metadata_t meta, in port_t port, in queue_t queue) {
    @id(0x01000010)
    action use_profile(@id(1) profile_t profile) {
        meta.profile.id = profile;
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
            @id(2) bit<32> mean_transmission_us,
            @id(3) mean_packets_t count_per_packet,
            @id(4) fraction_t count_per_byte,
            @id(5) bit<1> wait,
            @id(6) bit<1> mark_at_tail,
            @id(7) ecn_t level1_codepoint,
            @id(8) ecn_t level2_codepoint,
            @id(9) bit<32> report_interval_us,
            @id(10) bit<1> isq_in_dataplane,
            @id(11) @name("told_mask") dscp_t sent_upstream_mask,
            @id(12) @name("spare_empty") bit<1> skip_empty_queue) {
        meta.profile.active = 1;
        meta.profile.weight = weight;
        meta.profile.mean_transmission_us = mean_transmission_us;
        meta.profile.count_per_packet = count_per_packet;
        meta.profile.count_per_byte = count_per_byte;
        meta.profile.wait = wait;
        meta.profile.mark_at_tail = mark_at_tail;
        meta.profile.level1_codepoint = level1_codepoint;
        meta.profile.level2_codepoint = level2_codepoint;
        meta.profile.report_interval_us = report_interval_us;
        meta.profile.isq_in_dataplane = isq_in_dataplane;
        meta.profile.sent_upstream_mask = sent_upstream_mask;
        meta.profile.skip_empty_queue = skip_empty_queue;
    }

    @id(0x02000011)
    table profile_parameters {
        key = {
            meta.profile.id: exact @id(1) @name("profile");
        }
        actions = {
            set_parameters;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = PROFILES;
    }

    apply {
        meta.queue_index = port ++ queue;
        if (queue_profile.apply().hit) {
            profile_parameters.apply();
        }
    }
}

#endif
