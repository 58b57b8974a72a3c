// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A program that only forwards, for the wire bench: from port 1 to port 2 and back, 3 to 4 and back, and so on.

#include <core.p4>
#include <v1model.p4>

struct headers_t {
}

struct metadata_t {
}

parser ForwardParser(
        packet_in packet,
        out headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    state start {
        transition accept;
    }
}

control ForwardVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control ForwardIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.ingress_port & 1 == 1) {
            standard_metadata.egress_spec = standard_metadata.ingress_port + 1;
        } else {
            standard_metadata.egress_spec = standard_metadata.ingress_port - 1;
        }
    }
}

control ForwardEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
    }
}

control ForwardComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control ForwardDeparser(packet_out packet, in headers_t hdr) {
    apply {
    }
}

V1Switch(
    ForwardParser(),
    ForwardVerifyChecksum(),
    ForwardIngress(),
    ForwardEgress(),
    ForwardComputeChecksum(),
    ForwardDeparser()) main;
