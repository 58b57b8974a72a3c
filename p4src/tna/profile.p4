// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The congestion profile of a queue, and its parameters. Apart from v1model because pipelines share no metadata: both look
// the parameters up.
//
// To change a profile, the controller writes all rows of the new one under an unused id, in both pipelines. Then it writes
// that id for the queue: one write, atomic. Egress gets the id from ingress, so that both decisions about a packet use the
// same profile.

#ifndef QUENCH_TNA_PROFILE_P4
#define QUENCH_TNA_PROFILE_P4

#include "metadata.p4"

// A queue without a profile leaves `profile_id` as it is.
control QueueProfile(in port_t egress_port, in queue_t queue, inout profile_t profile_id, out bit<1> found) {
    @id(0x01000010)
    action use_profile(@id(1) profile_t profile) {
        profile_id = profile;
        found = 1;
    }

    action use_none() {
        found = 0;
    }

    @id(0x02000010)
    table queue_profile {
        key = {
            egress_port: exact @id(1) @name("port");
            queue: exact @id(2) @name("queue");
        }
        actions = {
            use_profile;
            @defaultonly use_none;
        }
        const default_action = use_none();
        size = MAX_QUEUES;
    }

    apply {
        queue_profile.apply();
    }
}

// Both pipelines have one, with the same rows. As in decision.p4 the ids follow from the names.
control ProfileParameters(
        in profile_t profile_id,
        in bit<16> ip_bytes,
        inout profile_parameters_t profile,
        inout decision_t decision) {
    // In packet mode the limits are below any packet's size: all packets count alike.
    action set_parameters(
            @id(1) log_t size_code_limit,
            @id(2) bit<16> size_limit,
            @id(3) bit<1> mark_at_tail,
            @id(4) ecn_t level1_codepoint,
            @id(5) ecn_t level2_codepoint,
            @id(6) bit<32> report_interval,
            @id(7) bit<32> state_interval,
            @id(8) bit<1> isq_in_dataplane,
            @id(9) dscp_t once_per_path_mask,
            @id(10) bit<1> spare_empty) {
        profile.active = 1;
        decision.size_code = min(decision.size_code, size_code_limit);
        decision.size = min(ip_bytes, size_limit);
        profile.mark_at_tail = mark_at_tail;
        profile.level1_codepoint = level1_codepoint;
        profile.level2_codepoint = level2_codepoint;
        profile.report_interval = report_interval;
        profile.state_interval = state_interval;
        profile.isq_in_dataplane = isq_in_dataplane;
        profile.once_per_path_mask = once_per_path_mask;
        profile.spare_empty = spare_empty;
    }

    action set_none() {
        profile.active = 0;
    }

    table profile_parameters {
        key = {
            profile_id: exact @id(1) @name("profile");
        }
        actions = {
            set_parameters;
            @defaultonly set_none;
        }
        const default_action = set_none();
        size = PROFILES;
    }

    apply {
        profile_parameters.apply();
    }
}

#endif
