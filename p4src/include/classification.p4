// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Which of its port's queues a packet waits in, by its DSCP (RFC 2474).

#ifndef QUENCH_CLASSIFICATION_P4
#define QUENCH_CLASSIFICATION_P4

#include "metadata.p4"

control Classification(in metadata_t meta, inout standard_metadata_t standard_metadata) {
    @id(0x01000040)
    action use_queue(@id(1) queue_t queue) {
        standard_metadata.priority = queue;
    }

    @id(0x02000040)
    table dscp_queue {
        key = {
            meta.dscp: ternary @id(1) @name("dscp");
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
