// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Which of its port's queues a packet waits in, by its DSCP (RFC 2474).

#ifndef QUENCH_TNA_CLASSIFICATION_P4
#define QUENCH_TNA_CLASSIFICATION_P4

#include "metadata.p4"

control Classification(inout metadata_t meta, inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    @id(0x01000040)
    action use_queue(@id(1) queue_t queue) {
        for_tm.qid = (QueueId_t) queue;
        meta.queue = queue;
    }

    @id(0x02000040)
    table dscp_queue {
        key = {
            meta.dscp: ternary @id(1) @name("dscp");
        }
        actions = {
            use_queue;
        }
        const default_action = use_queue(0);
        size = CLASSES;
    }

    apply {
        dscp_queue.apply();
    }
}

#endif
