// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The share of an average that remains after idle time (Floyd and Jacobson 1993, section IV):
// (1 - weight) ^ (idle time / mean transmission time), as a chain of straight pieces for each profile.
//
// Egress and ingress each have an instance. So nothing here has an @id: the ids follow from the names.

#ifndef QUENCH_IDLE_DECAY_P4
#define QUENCH_IDLE_DECAY_P4

#include "metadata.p4"

control IdleDecay(in metadata_t meta, in time_us_t idle_us, out fraction_t decay) {
    idle_key_t idle = 0;

    action decay_by(
            @id(1) idle_key_t start,
            @id(2) fraction_t base,
            @id(3) fraction_t slope) {
        decay = base - (bit<32>) (((bit<64>) (idle - start) * (bit<64>) slope) >> 8);
    }

    table idle_decay {
        key = {
            meta.profile.id: exact @id(1) @name("profile");
            idle: range @id(2) @name("idle");
        }
        actions = {
            decay_by;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = CURVE_SEGMENTS;
    }

    apply {
        decay = PROBABILITY_ONE;
        idle = (idle_us >> IDLE_KEY_SHIFT) > 0xfffff ? (idle_key_t) 0xfffff : idle_us[IDLE_KEY_SHIFT + 19:IDLE_KEY_SHIFT];
        idle_decay.apply();
    }
}

#endif
