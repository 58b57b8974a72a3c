// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The queue of its port in which a packet waits, by its DSCP (RFC 2474), in both programs.

#ifndef QUENCH_CLASSIFICATION_P4
#define QUENCH_CLASSIFICATION_P4

#include "types.p4"

// A DSCP without an entry leaves `target_queue` as it is: 0.
control Classification(in dscp_t dscp, inout target_queue_t target_queue) {
    @id(0x01000040)
    action use_queue(@id(1) queue_t queue) {
        target_queue = (target_queue_t) queue;
    }

    @id(0x02000040)
    table dscp_queue {
        key = {
            dscp: ternary @id(1) @name("dscp");
        }
        actions = {
            use_queue;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = CLASSES;
    }

    apply {
        dscp_queue.apply();
    }
}

#endif
