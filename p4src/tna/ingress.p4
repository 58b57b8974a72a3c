// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: route, queue, profile, and the decision on arrival, which drops packets and with mark_at tail marks them. Apart
// from v1model because it gets the average from states, and mirrors instead of clones.

#ifndef QUENCH_TNA_INGRESS_P4
#define QUENCH_TNA_INGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "../common/isq_eligibility.p4"
#include "../common/isq_format.p4"
#include "ip_fields.p4"
#include "../common/routing.p4"
#include "../common/classification.p4"
#include "profile.p4"
#include "size.p4"
#include "state.p4"
#include "decision.p4"
#include "isq_trigger.p4"
#include "../common/marking.p4"
#include "cpu_copy.p4"

control QuenchIngress(
        inout ingress_headers_t hdr,
        inout metadata_t meta,
        in ingress_intrinsic_metadata_t intrinsic,
        in ingress_intrinsic_metadata_from_parser_t from_parser,
        inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
        inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_seen;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_isq;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_early;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_forced;
    Hash<bit<24>>(HashAlgorithm_t.IDENTITY) ports_and_queue_bits;

    CountRefused() count_refused;
    IsqEligibility() isq_eligibility;
    RoceEligibility() roce_eligibility;
    IsqFormat() isq_format;
    IpFields() ip_fields;
    Routing() routing;
    Classification() classification;
    PacketSize() packet_size;
    QueueProfile() queue_profile;
    ProfileParameters() profile;
    StateOperands() state_operands;
    QueueState() queue_state;
    DrawNumbers() draw_numbers;
    Decision(true) arrival_decision;
    IsqTrigger() isq_trigger;
    Marking() marking;
    Clock() clock;
    AddressCopy() address_copy;
    DecisionCounters() counters;

    bit<1> has_profile;
    bit<1> isq_eligible;
    bit<1> roce_eligible;
    bit<1> is_inside;
    bit<1> stores;
    dscp_t missing_bits;
    dscp_t new_dscp;

    action drop() {
        for_deparser.drop_ctl = 1;
    }

    action read_queue_of_state() {
        meta.copy.ports_and_queue = hdr.state.ports_and_queue;
    }

    // The identity "hash" joins fields: no ALU does that across containers.
    action join_ports_and_queue() {
        meta.copy.ports_and_queue = ports_and_queue_bits.get(
            { intrinsic.ingress_port, for_tm.ucast_egress_port, QUEUE_OF(for_tm.qid), 3w0 });
    }

    action send_to_port() {
        for_tm.ucast_egress_port = hdr.packet_out.egress_port;
    }

    action compare_mask() {
        missing_bits = meta.profile.once_per_path_mask & ~meta.dscp;
        new_dscp = meta.dscp | meta.profile.once_per_path_mask;
    }

    action copy() {
        for_deparser.mirror_type = MIRROR_COPY;
    }

    action set_isq_sent() {
        hdr.ipv4.dscp = new_dscp;
    }

    action set_ipv6_isq_sent() {
        hdr.ipv6.dscp = new_dscp;
    }

    action add_bridge() {
        hdr.bridge.setValid();
        hdr.bridge.kind = kind_t.PACKET;
        hdr.bridge.profile = meta.profile_id;
        hdr.bridge.ports_and_queue = meta.copy.ports_and_queue;
        hdr.bridge.size_code = meta.decision.size_code;
        hdr.bridge.active = meta.profile.active;
        hdr.bridge.isq_format = meta.isq_format;
        hdr.bridge.sender_knows = meta.sender_knows;
    }

    apply {
        for_deparser.drop_ctl = 0;
        meta.decision.verdict = verdict_t.NONE;
        meta.isq_outcome = isq_outcome_t.NONE;
        for_tm.qid = 0;
        stores = 0;
        has_profile = 0;
        isq_eligible = 0;

        state_operands.apply(hdr.state, hdr.state.isValid(), from_parser.global_tstamp, meta.state, stores);
        draw_numbers.apply(meta.decision.number1, meta.decision.number2);
        clock.apply(from_parser.global_tstamp, meta.copy.time_high, meta.copy.time_low);
        if (stores == 1) {
            read_queue_of_state();
            drop();
        } else if (hdr.packet_out.isValid() && hdr.packet_out.submit_to_ingress == 0) {
            send_to_port();
        } else if (meta.is_ip == 0 || meta.checksum_error) {
            count_refused.apply(hdr.ethernet, intrinsic.ingress_port);
            drop();
        } else {
            isq_eligibility.apply(hdr.ethernet, hdr.ipv4, hdr.transport, isq_eligible);
            roce_eligibility.apply(hdr.ethernet, hdr.ipv6, hdr.bth, roce_eligible);
            ip_fields.apply(hdr.ipv4, hdr.ipv6, meta.dscp, meta.decision.ecn, meta.ip_bytes);
            routing.apply(hdr.ethernet, hdr.ipv4, hdr.ipv6, for_tm.ucast_egress_port, meta.routed);
            classification.apply(meta.dscp, for_tm.qid);
            packet_size.apply(meta.ip_bytes, meta.decision.size_code);
            isq_format.apply(hdr.ipv4, hdr.ipv6, hdr.bth, hdr.packet_out.isValid(), isq_eligible, roce_eligible,
                is_inside, meta.isq_format, meta.sender_knows);
            if (is_inside == 0 && meta.is_isq == 1) {
                port_dropped_isq.count(intrinsic.ingress_port);
                drop();
            } else if (meta.routed == 1) {
                port_seen.count(for_tm.ucast_egress_port);
                join_ports_and_queue();
                queue_profile.apply(for_tm.ucast_egress_port, QUEUE_OF(for_tm.qid), meta.profile_id, has_profile);
                if (has_profile == 1) {
                    profile.apply(meta.profile_id, meta.ip_bytes, meta.profile, meta.decision);
                }
            } else {
                drop();
            }
        }

        queue_state.apply(meta.copy.ports_and_queue, stores, meta.state, meta.copy.average);
        meta.copy.depth = 0;      // not known here

        if (meta.profile.active == 1) {
            arrival_decision.apply(meta.copy.ports_and_queue, meta.profile_id, meta.profile, meta.copy.average,
                meta.isq_format, meta.sender_knows, meta.segment, meta.decision);
            compare_mask();
            isq_trigger.apply(meta.decision, meta.segment.isq, hdr.ipv6.isValid(), meta.profile.once_per_path_mask,
                missing_bits, meta.isq_format, meta.isq_outcome);
            if (meta.isq_outcome == isq_outcome_t.SEND) {
                address_copy.apply(meta.profile.isq_in_dataplane, hdr.ipv6.isValid(), meta.isq_format, hdr.ipv4.ihl,
                    meta.copy.kind, meta.copy.session);
                copy();
            }
            if (meta.decision.marks == 1) {
                marking.apply(hdr.ipv4, hdr.ipv6, meta.decision.new_ecn);
            }
            if (meta.isq_outcome == isq_outcome_t.SEND) {
                if (hdr.ipv4.isValid()) {
                    set_isq_sent();
                } else {
                    set_ipv6_isq_sent();
                }
            }
            counters.apply(meta.decision.marks, meta.isq_outcome, for_tm.ucast_egress_port);
            if (meta.decision.verdict == verdict_t.DROP_FORCED) {
                port_dropped_forced.count(for_tm.ucast_egress_port);
                drop();
            } else if (meta.decision.verdict == verdict_t.DROP_EARLY) {
                port_dropped_early.count(for_tm.ucast_egress_port);
                drop();
            }
        }
        add_bridge();
    }
}

#endif
