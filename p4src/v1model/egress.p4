// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Egress: the average and the decision on departure; copies become packet-ins or source quenches.

#ifndef QUENCH_EGRESS_P4
#define QUENCH_EGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "average.p4"
#include "depth.p4"
#include "decision.p4"
#include "isq_trigger.p4"
#include "../common/marking.p4"
#include "cpu_copy.p4"
#include "source_quench.p4"

control QuenchEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    AverageQueue() average_queue;
#ifdef QUENCH_EXTENDED
    PresentDepth() present_depth;
#endif
    Decision(false) departure_decision;
    IsqTrigger() isq_trigger;
    Marking() marking;
    ReportTimer() report_timer;
    DescribeCopy() describe_copy;
    WritePacketIn() write_packet_in;
    SourceQuench() source_quench;

    queue_state_t queue_state;
    decision_t decision;
    bit<1> send_isq;
    bit<1> spare_mark;
    bit<1> report_due = 0;

    apply {
        if (standard_metadata.instance_type == INSTANCE_INGRESS_CLONE
                || standard_metadata.instance_type == INSTANCE_EGRESS_CLONE) {
            if (meta.copy_as_isq == 1) {
                source_quench.apply(hdr, meta.copy, meta.recirculated_us, standard_metadata);
            } else {
                write_packet_in.apply(hdr.packet_in, meta.copy);
            }
        } else if (meta.profile.active == 1) {
            average_queue.apply(meta.queue_index, meta.profile, standard_metadata, queue_state);
#ifdef QUENCH_EXTENDED
            average_t decision_average = queue_state.average;
            present_depth.apply(
                standard_metadata.egress_port, (queue_t) meta.queue_index, meta.profile, decision_average);
            departure_decision.apply(
                meta.queue_index, meta.profile, decision_average, meta.ecn, meta.ip_bytes, decision);
#else
            departure_decision.apply(
                meta.queue_index, meta.profile, queue_state.average, meta.ecn, meta.ip_bytes, decision);
#endif

            bit<32> port = (bit<32>) standard_metadata.egress_port;
            isq_trigger.apply(decision, meta.profile, meta.ecn, meta.isq_format, meta.sender_knows,
                standard_metadata.egress_port, hdr.ipv6, hdr.ipv4, send_isq, spare_mark);
            if ((decision.verdict == verdict_t.MARK1 || decision.verdict == verdict_t.MARK2) && spare_mark == 0) {
                port_marked.count(port);
                marking.apply(hdr.ipv4, hdr.ipv6, decision.new_ecn);
            }
            if (send_isq == 0) {
                decision.verdict = verdict_t.NONE;
                report_timer.apply(meta.queue_index, meta.profile.report_interval_us,
                    standard_metadata.egress_global_timestamp, report_due);
            }
            if (send_isq == 1 || report_due == 1) {
                describe_copy.apply(decision, meta.profile, meta.isq_format, queue_state,
                    standard_metadata.egress_global_timestamp, standard_metadata.ingress_port,
                    standard_metadata.egress_port, (queue_t) meta.queue_index, meta.copy, meta.copy_as_isq);
                clone_preserving_field_list(CloneType.E2E, CPU_CLONE_SESSION, CPU_COPY_FIELDS);
            }
        }
    }
}

#endif
