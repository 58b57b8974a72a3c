// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Headers of variable length: extracted by a computed size, copied, compared, emitted.

#include <v1model.p4>

header lengths_t {
    bit<4> first_bytes;
    bit<4> second_bytes;
    bit<8> equal;
}

header options_t {
    bit<8> tag;
    varbit<64> data;
}

struct headers_t {
    lengths_t lengths;
    options_t first;
    options_t second;
    options_t copy;
}

struct metadata_t {}

parser ParseOptions(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.lengths);
        packet.extract(hdr.first, (bit<32>) hdr.lengths.first_bytes * 8);
        packet.extract(hdr.second, (bit<32>) (hdr.lengths.second_bytes ++ 3w0));
        transition accept;
    }
}

#include "../include/stages.p4"

control Compare(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.lengths.equal = 0;
        if (hdr.first.data == hdr.second.data) {
            hdr.lengths.equal = 1;
        }
        if (hdr.first == hdr.second) {
            hdr.lengths.equal = hdr.lengths.equal + 2;
        }
        hdr.copy = hdr.first;
        hdr.first.tag = 0xFF;
        if (hdr.lengths.second_bytes == 8) {
            hdr.second.setInvalid();
        }
    }
}

V1Switch(ParseOptions(), NoVerify(), Compare(), NoEgress(), NoCompute(), EmitAll()) main;
