// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// One header where V1Switch has a struct of headers.
// expect: 13:46: `hdr` must be a struct, for V1Switch

#include <v1model.p4>

header headers_t {}

struct metadata_t {}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Pipe(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {}
}

V1Switch(Parse(), Check(), Pipe(), Pipe(), Check(), Emit()) main;
