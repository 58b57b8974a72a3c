// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef QUENCH_TNA_EGRESS_P4
#define QUENCH_TNA_EGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "profile.p4"
#include "average.p4"
#include "decision.p4"
#include "telling.p4"
#include "marking.p4"
#include "cpu_copy.p4"
#include "source_quench.p4"

control QuenchEgress(
        inout egress_headers_t hdr,
        inout metadata_t meta,
        in egress_intrinsic_metadata_t intrinsic,
        in egress_intrinsic_metadata_from_parser_t from_parser,
        inout egress_intrinsic_metadata_for_deparser_t for_deparser,
        inout egress_intrinsic_metadata_for_output_port_t for_output_port) {
    ProfileParameters() profile;
    AverageQueue() average_queue;
    Decision(false) departure_decision;
    Telling() telling;
    Marking() marking;
    Clock() clock;
    Timer() report_timer;
    Timer() state_timer;
    AddressCopy() address_copy;
    SourceQuench() source_quench;
    DecisionCounters() counters;
    Hash<bit<24>>(HashAlgorithm_t.IDENTITY) depth_bits;

    dscp_t missing;
    dscp_t told_dscp;
    bit<1> report_due;
    bit<1> state_due;

    // What ingress found, and what the packet says of itself.
    action read_bridge() {
        meta.profile_id = hdr.bridge.profile;
        meta.copy.place = hdr.bridge.place;
        meta.decision.size_code = hdr.bridge.size_code;
        meta.quotable = hdr.bridge.quotable;
    }

    action read_ipv4() {
        meta.dscp = hdr.ipv4.dscp;
        meta.decision.ecn = hdr.ipv4.ecn;
    }

    action read_ipv6() {
        meta.dscp = hdr.ipv6.dscp;
        meta.decision.ecn = hdr.ipv6.ecn;
    }

    // In packets of 16 cells.
    action describe_depth() {
        meta.copy.depth = depth_bits.get({ 9w0, intrinsic.deq_qdepth[18:4] });
    }

    action compare_told() {
        missing = meta.profile.told_mask & ~meta.dscp;
        told_dscp = meta.dscp | meta.profile.told_mask;
    }

    action copy() {
        for_deparser.mirror_type = MIRROR_COPY;
    }

    action report() {
        meta.copy.kind = KIND_CPU_COPY;
        meta.copy.session = (MirrorId_t) CPU_CLONE_SESSION[9:0];
        meta.decision.reason = REASON_QUEUE_REPORT;
        meta.decision.level = 0;
        copy();
    }

    action send_state() {
        meta.copy.kind = KIND_STATE;
        meta.copy.session = STATE_SESSION;
        copy();
    }

    apply {
        for_deparser.drop_ctl = 0;
        meta.decision.verdict = VERDICT_NONE;
        meta.telling = TELLING_NOBODY;

        if (hdr.copy.isValid()) {
            source_quench.apply(hdr, for_deparser);
        } else if (hdr.bridge.isValid() && hdr.bridge.active == 1) {
            read_bridge();
            if (hdr.ipv4.isValid()) {
                read_ipv4();
            } else {
                read_ipv6();
            }
            describe_depth();
            clock.apply(from_parser.global_tstamp, meta.copy.time_high, meta.copy.time_low);
            average_queue.apply(meta.copy.place, intrinsic.deq_qdepth, meta.copy.average);
            profile.apply(meta);
            // Beside the decision, not behind it: what is due together with a source quench waits for one more interval.
            report_timer.apply(meta.copy.place, meta.copy.time_low, meta.profile.report_interval, report_due);
            state_timer.apply(meta.copy.place, meta.copy.time_low, meta.profile.state_interval, state_due);
            departure_decision.apply(meta);
            compare_told();
            telling.apply(meta, hdr.ipv6.isValid(), missing);
            marking.apply(hdr.ipv4, hdr.ipv6, meta, told_dscp);
            counters.apply(meta, intrinsic.egress_port);
            if (meta.telling == TELLING_SOURCE) {
                address_copy.apply(meta, hdr.ipv4.ihl);
                copy();
            } else if (report_due == 1) {
                report();
            } else if (state_due == 1) {
                send_state();
            }
        }
    }
}

#endif
