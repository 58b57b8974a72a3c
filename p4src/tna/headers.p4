// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Headers that v1model does not have: those in front of a packet inside the switch.

#ifndef QUENCH_TNA_HEADERS_P4
#define QUENCH_TNA_HEADERS_P4

#include "types.p4"
#include "../common/headers.p4"

// From ingress to egress.
header bridge_t {
    kind_t            kind;
    profile_t         profile;
    ports_and_queue_t ports_and_queue;
    log_t             size_code;
    bit<1>            active;         // the queue has a profile
    isq_format_t      isq_format;     // of a source quench about this packet
    bit<1>            sender_knows;   // the sender is known to understand a Fast CNP
    @padding bit<4> pad0;
}

// The header in front of a copy. From `reason` on these are the bytes of packet_in. It has 26 bytes, so that the lengths
// at which sessions truncate are multiples of 4.
const bit<32> COPY_PREFIX_BITS = 40;    // of `kind` and `pad0`

header copy_t {
    kind_t            kind;
    isq_format_t      isq_format;
    @padding bit<30>  pad0;
    reason_t          reason;
    level_t           level;
    ports_and_queue_t ports_and_queue;
    report_depth_t    depth;
    bit<32>           average;
    bit<16>           time_high;
    bit<32>           time_low;
    level_t           isq_level;
    advice_t          isq_advice;
}

// The header in front of a source quench on its way back to ingress.
header recirculated_t {
    kind_t kind;
}

#endif
