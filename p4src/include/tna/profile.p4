// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Which congestion profile a queue has, and that profile's parameters.
//
// A change writes all rows of a new profile under an unused id, in both pipelines, and then moves the queue's pointer: one
// write, atomic. Only ingress reads the pointer; egress gets the id, so that a packet never sees two profiles.

#ifndef QUENCH_TNA_PROFILE_P4
#define QUENCH_TNA_PROFILE_P4

#include "metadata.p4"

control QueueProfile(inout metadata_t meta, out bit<1> found) {
    @id(0x01000010)
    action use_profile(@id(1) profile_t profile) {
        meta.profile_id = profile;
        found = 1;
    }

    action use_none() {
        found = 0;
    }

    @id(0x02000010)
    table queue_profile {
        key = {
            meta.egress_port: exact @id(1) @name("port");
            meta.queue: exact @id(2) @name("queue");
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

// Both pipelines have one, with the same rows. As with decisions the ids follow from the names.
control ProfileParameters(inout metadata_t meta) {
    // Packet mode has a size mask of 0: all packets count alike.
    action set_parameters(
            @id(1) log_t size_mask,
            @id(2) bit<1> wait,
            @id(3) bit<1> mark_at_tail,
            @id(4) ecn_t level1_codepoint,
            @id(5) ecn_t level2_codepoint,
            @id(6) bit<32> report_interval,
            @id(7) bit<32> state_interval,
            @id(8) bit<1> isq_in_dataplane,
            @id(9) dscp_t told_mask) {
        meta.profile.active = 1;
        meta.decision.size_code = meta.decision.size_code & size_mask;
        meta.profile.wait = wait;
        meta.profile.mark_at_tail = mark_at_tail;
        meta.profile.level1_codepoint = level1_codepoint;
        meta.profile.level2_codepoint = level2_codepoint;
        meta.profile.report_interval = report_interval;
        meta.profile.state_interval = state_interval;
        meta.profile.isq_in_dataplane = isq_in_dataplane;
        meta.profile.told_mask = told_mask;
    }

    action set_none() {
        meta.profile.active = 0;
    }

    table profile_parameters {
        key = {
            meta.profile_id: exact @id(1) @name("profile");
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
