// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The metadata of a packet in either pipeline. Apart from v1model because here are logarithms instead of products, and a
// mirrored header instead of preserved fields.

#ifndef QUENCH_TNA_METADATA_P4
#define QUENCH_TNA_METADATA_P4

#include "types.p4"

// The parameters of the congestion profile of a packet's queue. Both pipelines look them up under the id that ingress found:
// rows of an id that is in use never change.
struct profile_parameters_t {
    bit<1>  active;                // 0: this queue has no profile
    bit<1>  mark_at_tail;          // decide marks on arrival instead of on departure
    ecn_t   level1_codepoint;
    ecn_t   level2_codepoint;
    bit<1>  isq_in_dataplane;      // the switch makes source quenches itself
    bit<1>  spare_empty;           // select no packet on arrival at an empty queue
    dscp_t  once_per_path_mask;    // DSCP bits that say "a source quench was sent upstream"; 0: not used
    bit<32> report_interval;       // in units of 1024 ns; 0: no reports
    bit<32> state_interval;        // shortest time between two states for ingress, in units of 1024 ns
}

// The row of the profile's curve in which the average lies.
struct segment_t {
    bit<1>   isq;                  // a mark or ECT drop here also causes a source quench
    bit<1>   drop;                 // a selected packet is dropped even if it is ECT
    level_t  isq_level;            // the level of congestion that a source quench reports
    advice_t isq_advice;           // the advice that it carries
    selection_t selection1;
    selection_t selection2;
    count_t  most1;                // a packet is selected when this much has come,
    count_t  least1;               // none is before this much
    count_t  most2;
    count_t  least2;
}

// One packet's decision, in either pipeline.
struct decision_t {
    ecn_t           ecn;           // the codepoint of the packet
    ecn_t           new_ecn;       // the codepoint of the mark
    log_t           size_code;
    bit<16>         size;          // of this packet, in the unit of a count_t
    bit<32>         number1;       // random, one for each level
    bit<32>         number2;
    count_t         threshold1;    // the packet is selected if so much has come
    count_t         threshold2;
    decision_kind_t kind;
    bit<1>          selected1;
    bit<1>          selected2;
    verdict_t       verdict;
    bit<1>          marks;         // the verdict is to mark, and not in place of it to send a Fast CNP alone
    reason_t        reason;
    level_t         level;
}

// The fields of a copy_t. The decision uses the queue and the average too.
struct copy_fields_t {
    kind_t            kind;
    MirrorId_t        session;
    ports_and_queue_t ports_and_queue;
    report_depth_t    depth;
    tna_average_t     average;
    bit<16>           time_high;
    bit<32>           time_low;
}

// The two operands of the ALU of the queues' states, which has no more. For a store: the average and its time. For a read:
// the time, and the time before which states are too old.
struct state_operands_t {
    bit<32> first;
    bit<32> stamp;
}

struct metadata_t {
    profile_parameters_t profile;
    segment_t            segment;
    decision_t           decision;
    copy_fields_t        copy;
    state_operands_t     state;
    bit<8>               is_empty;       // egress: the packet left the queue empty, and the profile spares the next one
    profile_t            profile_id;
    bit<16>              ip_bytes;
    dscp_t               dscp;
    bit<1>               is_ip;          // the IP header is whole, and its lengths are right as far as ingress knows
    bool                 checksum_error;
    bit<1>               is_isq;         // the packet is a source quench itself, or may hide one
    isq_format_t         isq_format;     // of a source quench about this packet
    bit<1>               sender_knows;   // the sender is known to understand a Fast CNP
    bit<1>               routed;
    isq_outcome_t        isq_outcome;
}

#endif
