// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A select without a case for the value: error.NoMatch, by the language's specification. p4c's code for BMv2 does not
// set it, so this runs on the embedded target only.

#include <v1model.p4>

header h_t {
    bit<8> kind;
    bit<8> no_match;
}

struct headers_t {
    h_t h;
}

struct metadata_t {}

parser ParseKnown(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.kind, hdr.h.no_match) {
            (1 .. 4, _): accept;
            (8, 0): accept;
        }
    }
}

#include "../include/stages.p4"

control Report(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.no_match = (bit<8>) (bit<1>) (std.parser_error == error.NoMatch);
    }
}

V1Switch(ParseKnown(), NoVerify(), Report(), NoEgress(), NoCompute(), EmitAll()) main;
