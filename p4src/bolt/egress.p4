// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Egress: clones become source notifications.

#ifndef BOLT_EGRESS_P4
#define BOLT_EGRESS_P4

#include "metadata.p4"
#include "notification.p4"
#include "../datacentre/clock.p4"
#include "../datacentre/queue_bytes.p4"

control BoltEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    LeaveQueue() leave_queue;
    MakeNotification() make_notification;

    apply {
        if (standard_metadata.instance_type == INSTANCE_INGRESS_CLONE
                || standard_metadata.instance_type == INSTANCE_EGRESS_CLONE) {
            make_notification.apply(hdr, meta.queue_bytes, meta.rate);
            meta.is_notification = 1;
            READ_CLOCK(meta.notified_ns, standard_metadata.egress_global_timestamp);
            recirculate_preserving_field_list(RECIRCULATED_FIELDS);
        } else {
            leave_queue.apply(standard_metadata.egress_port, meta.counted_bytes);
            if (meta.notify_at_departure == 1) {
                clone_preserving_field_list(CloneType.E2E, NOTIFY_CLONE_SESSION, NOTIFY_FIELDS);
            }
        }
    }
}

#endif
