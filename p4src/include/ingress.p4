// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef QUENCH_INGRESS_P4
#define QUENCH_INGRESS_P4

#include "headers.p4"
#include "metadata.p4"
#include "counters.p4"
#include "routing.p4"
#include "profile.p4"
#include "average.p4"
#include "decision.p4"
#include "marking.p4"
#include "cpu_copy.p4"

control QuenchIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Routing() routing;
    Profile() profile;
    Decision(true) arrival_decision;
    Marking() marking;
    DescribeCopy() describe_copy;

    average_t current = 0;
    depth_t last_depth = 0;

    action read_queue() {
        queue_average.read(current, (bit<32>) meta.queue_index);
        queue_depth.read(last_depth, (bit<32>) meta.queue_index);
    }

    apply {
        if (hdr.packet_out.isValid() && hdr.packet_out.submit_to_ingress == 0) {
            standard_metadata.egress_spec = hdr.packet_out.egress_port;
        } else if (meta.is_ip == 0 || standard_metadata.checksum_error == 1) {
            mark_to_drop(standard_metadata);
        } else {
            routing.apply(hdr, meta, standard_metadata);
        }

        if (meta.routed == 1) {
            port_seen.count((bit<32>) standard_metadata.egress_spec);
            profile.apply(meta, standard_metadata.egress_spec, standard_metadata.priority);
        }

        if (meta.profile.active == 1) {
            read_queue();
            arrival_decision.apply(meta, current);
            bit<32> port = (bit<32>) standard_metadata.egress_spec;
            bool marks = meta.verdict.mark1 == 1 || meta.verdict.mark2 == 1;
            bool drops = meta.verdict.drop_early == 1 || meta.verdict.drop_forced == 1;

            // The copy is of the packet as it came, and a packet-out would be parsed again as if it had come from a wire.
            if ((marks || drops) && meta.segment.isq == 1 && meta.ecn != ECN_NOT_ECT
                    && hdr.ipv4.isValid() && !hdr.packet_out.isValid()) {
                describe_copy.apply(meta, current, last_depth, standard_metadata.ingress_global_timestamp,
                    standard_metadata.ingress_port, standard_metadata.egress_spec);
                port_cloned.count(port);
                clone_preserving_field_list(CloneType.I2E, CPU_CLONE_SESSION, CPU_COPY_FIELDS);
            }
            if (marks) {
                port_marked.count(port);
                marking.apply(hdr, meta);
            } else if (drops) {
                if (meta.verdict.drop_forced == 1) {
                    port_dropped_forced.count(port);
                } else {
                    port_dropped_early.count(port);
                }
                mark_to_drop(standard_metadata);
            }
        }
        hdr.packet_out.setInvalid();
    }
}

#endif
