// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Multicast groups with several nodes: one copy per port, each with its node's replication id.

#include <v1model.p4>

const bit<32> REPLICATED = 5;

header h_t {
    bit<16> group;
    bit<8> replication;
    bit<8> port;
    bit<8> replicated;
}

#include "../include/one_header.p4"

control Spread(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        std.mcast_grp = hdr.h.group;
        if (hdr.h.group == 0xFFFF) {
            mark_to_drop(std);              // clears the group too
        }
    }
}

control Note(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.replication = std.egress_rid[7:0];
        hdr.h.port = std.egress_port[7:0];
        hdr.h.replicated = std.instance_type == REPLICATED ? 8w1 : 0;
        if (std.egress_port == std.ingress_port) {
            mark_to_drop(std);              // not back to where it came from
        }
    }
}

V1Switch(ParseH(), NoVerify(), Spread(), Note(), NoCompute(), EmitAll()) main;
