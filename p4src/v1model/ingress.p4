// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: route, queue, profile, and the decision on arrival, which drops packets and with mark_at tail marks them.

#ifndef QUENCH_INGRESS_P4
#define QUENCH_INGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "length.p4"
#include "../common/isq_eligibility.p4"
#include "../common/isq_format.p4"
#include "../common/routing.p4"
#include "next_hop.p4"
#include "../common/classification.p4"
#include "profile.p4"
#include "average.p4"
#include "depth.p4"
#include "decision.p4"
#include "isq_trigger.p4"
#include "../common/marking.p4"
#include "cpu_copy.p4"

control QuenchIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    CheckLength() check_length;
    CountRefused() count_refused;
    IsqEligibility() isq_eligibility;
    RoceEligibility() roce_eligibility;
    IsqFormat() isq_format;
    Routing() routing;
    NextHop() next_hop;
    Classification() classification;
    Profile() profile;
    ReadAverage() read_average;
#ifdef QUENCH_EXTENDED
    PresentDepth() present_depth;
#endif
    Decision(true) arrival_decision;
    IsqTrigger() isq_trigger;
    Marking() marking;
    DescribeCopy() describe_copy;

    queue_state_t queue_state;
    average_t decision_average;
    decision_t decision;
    group_t next_hops;
    bit<1> routed = 0;
    bit<1> isq_eligible = 0;
    bit<1> roce_eligible;
    bit<1> is_inside;
    bit<1> send_isq;
    bit<1> spare_mark;

    apply {
        time_us_t now = standard_metadata.ingress_global_timestamp;
        if (meta.copy_as_isq == 1) {
            now = meta.recirculated_us;
            // A source quench from egress still carries the whole packet that it quotes.
            truncate((bit<32>) (ETHERNET_BYTES + meta.ip_bytes));
        }
        if (meta.is_ip == 1) {
            bit<32> front_bytes = hdr.packet_out.isValid() ? PACKET_OUT_BYTES : 0;
            check_length.apply(hdr.ipv4, hdr.ipv6, standard_metadata.packet_length - front_bytes, meta.is_ip);
        }
        if (hdr.packet_out.isValid() && hdr.packet_out.submit_to_ingress == 0) {
            standard_metadata.egress_spec = hdr.packet_out.egress_port;
        } else if (meta.is_ip == 0 || standard_metadata.checksum_error == 1) {
            count_refused.apply(hdr.ethernet, standard_metadata.ingress_port);
            mark_to_drop(standard_metadata);
        } else {
            isq_eligibility.apply(hdr.ethernet, hdr.ipv4, hdr.transport, isq_eligible);
            roce_eligibility.apply(hdr.ethernet, hdr.ipv6, hdr.bth, roce_eligible);
            routing.apply(hdr.ethernet, hdr.ipv4, hdr.ipv6, standard_metadata.egress_spec, next_hops, routed);
            if (next_hops != 0) {
                next_hop.apply(hdr.ethernet, hdr.ipv4, hdr.ipv6, hdr.transport, next_hops,
                    standard_metadata.egress_spec, routed);
            }
            classification.apply(meta.dscp, standard_metadata.priority);
            isq_format.apply(hdr.ipv4, hdr.ipv6, hdr.bth, hdr.packet_out.isValid(), isq_eligible, roce_eligible,
                is_inside, meta.isq_format, meta.sender_knows);
            if (is_inside == 0 && meta.is_isq == 1) {
                port_dropped_isq.count((bit<32>) standard_metadata.ingress_port);
                routed = 0;
            }
            if (routed == 0) {
                mark_to_drop(standard_metadata);
            }
        }

        if (routed == 1) {
            port_seen.count((bit<32>) standard_metadata.egress_spec);
            meta.queue_index = standard_metadata.egress_spec ++ standard_metadata.priority;
            profile.apply(standard_metadata.egress_spec, standard_metadata.priority, meta.profile);
        }

        if (meta.profile.active == 1) {
            read_average.apply(meta.queue_index, meta.profile, now, queue_state);
            decision_average = queue_state.average;
            // As in ns-2: nothing is selected on arrival at an empty queue, however large the average still is.
            if (meta.profile.spare_empty == 1 && queue_state.depth_pkts == 0) {
                decision_average = 0;
            }
#ifdef QUENCH_EXTENDED
            present_depth.apply(
                standard_metadata.egress_spec, standard_metadata.priority, meta.profile, decision_average);
#endif
            arrival_decision.apply(
                meta.queue_index, meta.profile, decision_average, meta.ecn, meta.ip_bytes, decision);
            bit<32> port = (bit<32>) standard_metadata.egress_spec;

            isq_trigger.apply(decision, meta.profile, meta.ecn, meta.isq_format, meta.sender_knows,
                standard_metadata.egress_spec, hdr.ipv6, hdr.ipv4, send_isq, spare_mark);
            if (send_isq == 1) {
                describe_copy.apply(decision, meta.profile, meta.isq_format, queue_state, now,
                    standard_metadata.ingress_port, standard_metadata.egress_spec, standard_metadata.priority, meta.copy,
                    meta.copy_as_isq);
                clone_preserving_field_list(CloneType.I2E, CPU_CLONE_SESSION, CPU_COPY_FIELDS);
            }
            if ((decision.verdict == verdict_t.MARK1 || decision.verdict == verdict_t.MARK2) && spare_mark == 0) {
                port_marked.count(port);
                marking.apply(hdr.ipv4, hdr.ipv6, decision.new_ecn);
                meta.ecn = decision.new_ecn;
            } else if (decision.verdict == verdict_t.DROP_FORCED) {
                port_dropped_forced.count(port);
                mark_to_drop(standard_metadata);
            } else if (decision.verdict == verdict_t.DROP_EARLY) {
                port_dropped_early.count(port);
                mark_to_drop(standard_metadata);
            }
        }
        hdr.packet_out.setInvalid();
    }
}

#endif
