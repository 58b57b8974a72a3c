// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The values that one block hands to another. All others are parameters.

#ifndef BOLT_METADATA_P4
#define BOLT_METADATA_P4

#include "../datacentre/packet.p4"

const bit<32> NOTIFY_CLONE_SESSION = 100;

const bit<8> NOTIFY_FIELDS = 1;
const bit<8> RECIRCULATED_FIELDS = 2;

struct metadata_t {
    parsed_t      parsed;
    bit<32>       counted_bytes;        // see datacentre/queue_bytes.p4
    bit<1>        notify_at_departure;
    // The content of a source notification.
    @field_list(NOTIFY_FIELDS)
    depth_bytes_t queue_bytes;
    @field_list(NOTIFY_FIELDS)
    bolt_rate_t   rate;
    @field_list(RECIRCULATED_FIELDS)
    bit<1>        is_notification;      // this switch has just made it
    // The time at which it comes to ingress. Recirculated packets have no time of arrival.
    @field_list(RECIRCULATED_FIELDS)
    time_ns_t     notified_ns;
}

#endif
