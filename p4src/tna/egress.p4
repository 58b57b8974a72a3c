// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Egress: the average and the decision on departure; copies become packet-ins or source quenches. Apart from v1model because
// it sends states to ingress, and mirrors instead of clones.

#ifndef QUENCH_TNA_EGRESS_P4
#define QUENCH_TNA_EGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "profile.p4"
#include "average.p4"
#include "state.p4"
#include "decision.p4"
#include "isq_trigger.p4"
#include "ip_fields.p4"
#include "../common/marking.p4"
#include "cpu_copy.p4"
#include "source_quench.p4"

control QuenchEgress(
        inout egress_headers_t hdr,
        inout metadata_t meta,
        in egress_intrinsic_metadata_t intrinsic,
        in egress_intrinsic_metadata_from_parser_t from_parser,
        inout egress_intrinsic_metadata_for_deparser_t for_deparser,
        inout egress_intrinsic_metadata_for_output_port_t for_output_port) {
    IpFields() ip_fields;
    ProfileParameters() profile;
    AverageQueue() average_queue;
    DrawNumbers() draw_numbers;
    Decision(false) departure_decision;
    IsqTrigger() isq_trigger;
    Marking() marking;
    Clock() clock;
    Timer() report_timer;
    Timer() state_timer;
    Emptiness() emptiness;
    AddressCopy() address_copy;
    SourceQuench() source_quench;
    DecisionCounters() counters;
    Hash<bit<24>>(HashAlgorithm_t.IDENTITY) depth_bits;

    dscp_t missing_bits;
    dscp_t new_dscp;
    bit<1> report_due;
    bit<1> state_due;
    bit<1> emptiness_changed = 0;

    action read_bridge() {
        meta.profile_id = hdr.bridge.profile;
        meta.copy.ports_and_queue = hdr.bridge.ports_and_queue;
        meta.decision.size_code = hdr.bridge.size_code;
        meta.isq_format = hdr.bridge.isq_format;
        meta.sender_knows = hdr.bridge.sender_knows;
    }

    // The depth is reported in packets of 16 cells.
    action describe_depth() {
        meta.copy.depth = depth_bits.get({ 9w0, PACKETS_OF(intrinsic.deq_qdepth) });
    }

    action compare_mask() {
        missing_bits = meta.profile.once_per_path_mask & ~meta.dscp;
        new_dscp = meta.dscp | meta.profile.once_per_path_mask;
    }

    action set_isq_sent() {
        hdr.ipv4.dscp = new_dscp;
    }

    action set_ipv6_isq_sent() {
        hdr.ipv6.dscp = new_dscp;
    }

    action copy() {
        for_deparser.mirror_type = MIRROR_COPY;
    }

    action report() {
        meta.copy.kind = kind_t.CPU_COPY;
        meta.copy.session = CPU_SESSION;
        meta.decision.reason = reason_t.QUEUE_REPORT;
        meta.decision.level = 0;
        copy();
    }

    action send_state() {
        meta.copy.kind = kind_t.STATE;
        meta.copy.session = STATE_SESSION;
        copy();
    }

    // As in ns-2: nothing is selected on arrival at an empty queue, however large the average still is.
    action send_empty_state() {
        send_state();
        meta.copy.average = 0;
    }

    apply {
        for_deparser.drop_ctl = 0;
        meta.decision.verdict = verdict_t.NONE;
        meta.isq_outcome = isq_outcome_t.NONE;

        if (hdr.copy.isValid()) {
            source_quench.apply(hdr, for_deparser);
        } else if (hdr.bridge.isValid() && hdr.bridge.active == 1) {
            read_bridge();
            ip_fields.apply(hdr.ipv4, hdr.ipv6, meta.dscp, meta.decision.ecn, meta.ip_bytes);
            describe_depth();
            draw_numbers.apply(meta.decision.number1, meta.decision.number2);
            clock.apply(from_parser.global_tstamp, meta.copy.time_high, meta.copy.time_low);
            average_queue.apply(meta.copy.ports_and_queue, intrinsic.deq_qdepth, meta.copy.average);
            profile.apply(meta.profile_id, meta.ip_bytes, meta.profile, meta.decision);
            // Beside the decision, not behind it, to save stages. So a report or state that is due together with a source
            // quench waits for one more interval.
            report_timer.apply(meta.copy.ports_and_queue, meta.copy.time_low, meta.profile.report_interval, report_due);
            state_timer.apply(meta.copy.ports_and_queue, meta.copy.time_low, meta.profile.state_interval, state_due);
            meta.is_empty = 0;
            if (meta.profile.spare_empty == 1) {
                if (intrinsic.deq_qdepth == 0) {
                    meta.is_empty = 1;
                }
                emptiness.apply(meta.copy.ports_and_queue, meta.is_empty, emptiness_changed);
            }
            departure_decision.apply(meta.copy.ports_and_queue, meta.profile_id, meta.profile, meta.copy.average,
                meta.isq_format, meta.sender_knows, meta.segment, meta.decision);
            compare_mask();
            isq_trigger.apply(meta.decision, meta.segment.isq, hdr.ipv6.isValid(), meta.profile.once_per_path_mask,
                missing_bits, meta.isq_format, meta.isq_outcome);
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
            counters.apply(meta.decision.marks, meta.isq_outcome, intrinsic.egress_port);
            if (meta.isq_outcome == isq_outcome_t.SEND) {
                address_copy.apply(meta.profile.isq_in_dataplane, hdr.ipv6.isValid(), meta.isq_format, hdr.ipv4.ihl,
                    meta.copy.kind, meta.copy.session);
                copy();
            } else if (report_due == 1) {
                report();
            } else if (state_due == 1 || emptiness_changed == 1) {
                if (meta.is_empty == 1) {
                    send_empty_state();
                } else {
                    send_state();
                }
            }
        }
    }
}

#endif
