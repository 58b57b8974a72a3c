// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The metadata of a packet, and the results of controls.

#ifndef QUENCH_METADATA_P4
#define QUENCH_METADATA_P4

#include "types.p4"

// standard_metadata.instance_type of simple_switch.
const bit<32> INSTANCE_NORMAL = 0;
const bit<32> INSTANCE_INGRESS_CLONE = 1;
const bit<32> INSTANCE_EGRESS_CLONE = 2;

const bit<8> CPU_COPY_FIELDS = 1;
const bit<8> RECIRCULATED_FIELDS = 2;

// The parameters of the congestion profile of a packet's queue. Ingress looks them up once, so that both decisions about a
// packet use the same profile.
struct profile_parameters_t {
    bit<1>         active;                // 0: this queue has no profile
    bit<1>         mark_at_tail;          // decide marks on arrival instead of on departure
    bit<1>         wait;                  // marks lie at least 1/p packets apart
    profile_t      id;
    fraction_t     weight;
    transmission_q8_us_t mean_transmission_q8_us;  // of a packet of mean size
    bit<32>        decay_rate;            // halvings of an idle queue's average: see idle_decay.p4
    bit<8>         decay_shift;
    mean_packets_t count_per_packet;      // packet mode; 0 in byte mode
    fraction_t     count_per_byte;        // byte mode: 1 / mean size; 0 in packet mode
    ecn_t          level1_codepoint;
    ecn_t          level2_codepoint;
    bit<32>        report_interval_us;    // 0: no reports
    bit<1>         isq_in_dataplane;      // the switch makes source quenches itself
    dscp_t         once_per_path_mask;    // DSCP bits that say "a source quench was sent upstream"; 0: not used
    bit<1>         spare_empty;           // nothing is selected on arrival if the last departure left the queue empty
#ifdef QUENCH_EXTENDED
    fraction_t     depth_per_byte;        // decide by the bytes that wait, each 1 / mean size; 0: by the average
#endif
}

// The average of a queue, and its depth at the same moment.
struct queue_state_t {
    average_t average;
    depth_t   depth_pkts;
}

// The segment of a profile's curve in which the average lies.
struct segment_t {
    probability_t level1;                 // of a mark of level 1, or of a drop
    probability_t level2;
    bit<1>        drop;                   // a selected packet is dropped even if it is ECT
}

// The result of a decision about one packet.
struct decision_t {
    verdict_t verdict;
    ecn_t     new_ecn;                    // the codepoint with which the packet leaves
    bit<1>    isq;                        // a mark or ECT drop here also causes a source quench
    level_t   isq_level;                  // the level of congestion that a source quench reports
    advice_t  isq_advice;                 // the advice that it carries
}

// The fields that go with a copy of a packet, which becomes a packet-in or a source quench.
struct copy_t {
    reason_t         reason;
    level_t          level;
    port_t           ingress_port;
    port_t           egress_port;
    queue_t          queue;
    report_depth_t   depth_pkts;
    report_average_t average_q16_pkts;
    time_us_t        time_us;
    level_t          isq_level;
    advice_t         isq_advice;
    isq_format_t     isq_format;
}

// The values that one block hands to another. All others are parameters.
struct metadata_t {
    bit<1>               is_ip;           // the IP header is whole, and its lengths are right
    bit<16>              ip_bytes;
    dscp_t               dscp;
    ecn_t                ecn;
    bit<16>              no_error;        // stays 0, which is the checksum of an IPv4 header with its checksum in place
    bit<1>               is_isq;          // the packet is a source quench itself, or may hide one
    isq_format_t         isq_format;      // of a source quench about this packet
    bit<1>               sender_knows;    // the sender is known to understand a Fast CNP
    queue_index_t        queue_index;
    profile_parameters_t profile;
    @field_list(CPU_COPY_FIELDS, RECIRCULATED_FIELDS)
    bit<1>               copy_as_isq;
    @field_list(RECIRCULATED_FIELDS)
    time_us_t            recirculated_us; // the time of a recirculated packet, whose ingress timestamp is 0
    @field_list(CPU_COPY_FIELDS)
    copy_t               copy;
}

#endif
