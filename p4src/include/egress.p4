// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef QUENCH_EGRESS_P4
#define QUENCH_EGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "average.p4"
#include "decision.p4"
#include "telling.p4"
#include "marking.p4"
#include "cpu_copy.p4"
#include "source_quench.p4"

control QuenchEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    AverageQueue() average_queue;
    Decision(false) departure_decision;
    Telling() telling;
    Marking() marking;
    ReportTimer() report_timer;
    DescribeCopy() describe_copy;
    SendCopy() send_copy;
    SourceQuench() source_quench;

    average_t current = 0;
    bit<1> tells_source = 0;
    bit<1> report_due = 0;

    apply {
        if (standard_metadata.instance_type == INSTANCE_INGRESS_CLONE
                || standard_metadata.instance_type == INSTANCE_EGRESS_CLONE) {
            if (meta.copy_as_isq == 1) {
                source_quench.apply(hdr, meta, standard_metadata);
            } else {
                send_copy.apply(hdr, meta);
            }
        } else if (meta.profile.active == 1) {
            average_queue.apply(meta, standard_metadata, current);
            departure_decision.apply(meta, current);

            bit<32> port = (bit<32>) standard_metadata.egress_port;
            bool marks = meta.verdict.mark1 == 1 || meta.verdict.mark2 == 1;
            telling.apply(hdr, meta, standard_metadata.egress_port, tells_source);
            if (marks) {
                port_marked.count(port);
                marking.apply(hdr, meta);
            }
            if (tells_source == 0) {
                meta.verdict = { 0, 0, 0, 0 };
                report_timer.apply(meta, standard_metadata.egress_global_timestamp, report_due);
            }
            if (tells_source == 1 || report_due == 1) {
                describe_copy.apply(meta, current, standard_metadata.deq_qdepth, standard_metadata.egress_global_timestamp,
                    standard_metadata.ingress_port, standard_metadata.egress_port);
                clone_preserving_field_list(CloneType.E2E, CPU_CLONE_SESSION, CPU_COPY_FIELDS);
            }
        }
    }
}

#endif
