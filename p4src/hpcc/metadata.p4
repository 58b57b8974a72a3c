// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A link's settings, from the control plane, and the values that ingress hands to egress.

#ifndef HPCC_METADATA_P4
#define HPCC_METADATA_P4

#include "../datacentre/packet.p4"

struct metadata_t {
    parsed_t    parsed;
    bit<32>     counted_bytes;          // see datacentre/queue_bytes.p4
    bit<1>      is_counted;             // its port has settings
    bit<1>      takes_record;           // a data packet
    rate_code_t rate;
    bit<8>      unit_shift;             // the units of a record are 2^unit_shift times as large as at 25 Gb/s
}

#endif
