// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A port's settings, from the control plane, and the values that ingress hands to egress.

#ifndef CSIG_METADATA_P4
#define CSIG_METADATA_P4

#include "types.p4"
#include "../datacentre/packet.p4"

struct csig_settings_t {
    csig_locator_t locator;
    byte_time_t    byte_time;
    csig_value_t   bandwidth;         // of the link, in units of 8 Mb/s
    bit<8>         window_shift;      // the load counts over windows of 2^window_shift ns
    bit<8>         delay_shift;       // the unit of delays is 2^delay_shift ns
    bit<32>        overhead_bytes;    // of each packet on the link, beside IP and tags
    depth_bytes_t  limit_bytes;       // above it packets are dropped; 0: none
}

struct metadata_t {
    parsed_t        parsed;
    bit<32>         counted_bytes;    // see datacentre/queue_bytes.p4
    bit<32>         sent_bytes;       // of the packet on the link
    time_ns_t       arrived_ns;
    departure_t     departure;
    csig_settings_t settings;
}

#endif
