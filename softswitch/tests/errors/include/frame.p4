// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// All of a program but the control Fault, which ends with MAIN.

#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<16> wide;
}

struct headers_t {
    h_t h;
    h_t[2] stack;
}

struct metadata_t {
    bit<8> m;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control NoVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control NoEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control NoCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control EmitAll(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

#define CONTROL control Fault(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std)
#define PARSER(body) parser Faulty(packet_in packet, out headers_t hdr, inout metadata_t meta, \
                                   inout standard_metadata_t std) { body }
#define MAIN V1Switch(ParseH(), NoVerify(), Fault(), NoEgress(), NoCompute(), EmitAll()) main;
