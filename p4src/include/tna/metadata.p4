// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef QUENCH_TNA_METADATA_P4
#define QUENCH_TNA_METADATA_P4

#include "types.p4"

// What the profile of a packet's queue says. Both pipelines look it up under the id that ingress found: rows of an id that
// is in use never change.
struct profile_parameters_t {
    bit<1>  active;                // 0: this queue has no profile
    bit<1>  mark_at_tail;          // decide marks on arrival instead of on departure
    bit<1>  wait;                  // marks lie at least 1/p packets apart
    ecn_t   level1_codepoint;
    ecn_t   level2_codepoint;
    bit<1>  isq_in_dataplane;      // the switch makes source quenches itself
    dscp_t  told_mask;             // DSCP bits that say "a source quench was sent upstream"; 0: not used
    bit<32> report_interval;       // in units of 1024 ns; 0: no reports
    bit<32> state_interval;        // shortest time between two states for ingress, in units of 1024 ns
}

// The row of the profile's curve in which the average lies.
struct segment_t {
    bit<1>   isq;                  // a mark or ECT drop here also causes a source quench
    bit<1>   drop;                 // a chosen packet is dropped even if it is ECT
    level_t  isq_level;            // what a source quench says of the congestion here
    choice_t choice1;
    choice_t choice2;
    log_t    code1;                // of the step of a packet of this size
    log_t    code2;
}

// One packet's decision, in either pipeline.
struct decision_t {
    ecn_t     ecn;                 // as the packet has it
    ecn_t     new_ecn;             // as its mark wants it
    log_t     size_code;
    duty_t    duty;
    bit<1>    chosen1;
    bit<1>    chosen2;
    verdict_t verdict;
    reason_t  reason;
    level_t   level;
}

// What goes into a copy_t. Place and average serve the decision too.
struct copy_fields_t {
    kind_t        kind;
    MirrorId_t    session;
    place_t       place;
    bit<24>       depth;
    tna_average_t average;
    bit<16>       time_high;
    bit<32>       time_low;
}

struct metadata_t {
    profile_parameters_t profile;
    segment_t            segment;
    decision_t           decision;
    copy_fields_t        copy;
    profile_t            profile_id;
    port_t               egress_port;
    queue_t              queue;
    bit<16>              ip_bytes;
    dscp_t               dscp;
    bit<1>               is_ip;          // the IP header is whole; what follows it may be too short
    bool                 checksum_error;
    bit<1>               quotable;
    bit<1>               routed;
    telling_t            telling;
}

#endif
