// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The queue and the time in egress, drops in both pipelines, a drop that is taken back, truncate.

#include <v1model.p4>

header h_t {
    bit<8> kind;
    bit<8> priority;
    bit<8> length;
    bit<8> small_depths;
    bit<8> in_order;
    bit<8> ports;
}

#include "../include/one_header.p4"

control Before(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        std.priority = 0;
        hdr.h.length = std.packet_length[7:0];
        if (hdr.h.kind == 1) {
            mark_to_drop(std);
        } else if (hdr.h.kind == 2) {
            mark_to_drop(std);
            std.egress_spec = 2;
        } else if (hdr.h.kind == 3) {
            truncate(4);
        }
    }
}

control After(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.priority = (bit<8>) std.priority;
        hdr.h.small_depths = 0;
        if (std.enq_qdepth < 64 && std.deq_qdepth < 64) {
            hdr.h.small_depths = 1;
        }
        hdr.h.in_order = 0;
        if (std.ingress_global_timestamp <= std.egress_global_timestamp &&
            (bit<48>) std.enq_timestamp <= std.egress_global_timestamp &&
            (bit<48>) std.deq_timedelta <= std.egress_global_timestamp) {
            hdr.h.in_order = 1;
        }
        hdr.h.ports = std.egress_port[3:0] ++ std.ingress_port[3:0];
        if (hdr.h.kind == 4) {
            mark_to_drop(std);
        }
    }
}

V1Switch(ParseH(), NoVerify(), Before(), After(), NoCompute(), EmitAll()) main;
