// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Copies of packets: their fields, packet-ins, and the timer of queue reports.

#ifndef QUENCH_CPU_COPY_P4
#define QUENCH_CPU_COPY_P4

#include "packet.p4"
#include "metadata.p4"

// The fields of a copy of this packet. The caller makes the clone, whose type is that of the pipeline.
control DescribeCopy(
        in decision_t decision,
        in profile_parameters_t profile,
        in isq_format_t isq_format,
        in queue_state_t queue_state,
        in time_us_t now,
        in port_t ingress_port,
        in port_t egress_port,
        in queue_t queue,
        out copy_t copy,
        out bit<1> copy_as_isq) {
    apply {
        copy.level = 0;
        if (decision.verdict == verdict_t.MARK1) {
            copy.reason = reason_t.MARKED;
            copy.level = 1;
        } else if (decision.verdict == verdict_t.MARK2) {
            copy.reason = reason_t.MARKED;
            copy.level = 2;
        } else if (decision.verdict == verdict_t.DROP_EARLY) {
            copy.reason = reason_t.DROPPED_EARLY;
        } else if (decision.verdict == verdict_t.DROP_FORCED) {
            copy.reason = reason_t.DROPPED_FORCED;
        } else {
            copy.reason = reason_t.QUEUE_REPORT;
        }
        copy_as_isq = copy.reason == reason_t.QUEUE_REPORT ? 1w0 : profile.isq_in_dataplane;
        copy.ingress_port = ingress_port;
        copy.egress_port = egress_port;
        copy.queue = queue;
        copy.depth_pkts = (report_depth_t) queue_state.depth_pkts;
        average_t average_q16 = queue_state.average >> AVERAGE_TO_Q16_SHIFT;
        copy.average_q16_pkts = (report_average_t) (average_q16 > REPORT_AVERAGE_MAX ? REPORT_AVERAGE_MAX : average_q16);
        copy.time_us = now;
        copy.isq_level = decision.isq_level;
        copy.isq_advice = decision.isq_advice;
        copy.isq_format = isq_format;
    }
}

// Turns the clone into a packet-in.
control WritePacketIn(inout packet_in_t report, in copy_t copy) {
    apply {
        report.setValid();
        report.reason = copy.reason;
        report.level = copy.level;
        report.ingress_port = copy.ingress_port;
        report.egress_port = copy.egress_port;
        report.queue = copy.queue;
        report.pad0 = 0;
        report.depth_pkts = copy.depth_pkts;
        report.average_q16_pkts = copy.average_q16_pkts;
        report.time_us = copy.time_us;
        report.isq_level = copy.isq_level;
        report.isq_advice = copy.isq_advice;
        truncate(CPU_COPY_BYTES);
    }
}

// Whether the next periodic report of a queue is due. An interval of 0 means never.
control ReportTimer(in queue_index_t queue_index, in bit<32> interval_us, in time_us_t now, out bit<1> due) {
    register<time_us_t>(MAX_QUEUES) last_report;

    action check() {
        @atomic {
            time_us_t last;
            last_report.read(last, (bit<32>) queue_index);
            due = now - last >= (time_us_t) interval_us ? 1w1 : 1w0;
            last_report.write((bit<32>) queue_index, due == 1 ? now : last);
        }
    }

    apply {
        due = 0;
        if (interval_us != 0) {
            check();
        }
    }
}

#endif
