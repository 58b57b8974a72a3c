// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Packets that come again: resubmitted as they came in, recirculated as they leave; metadata of a field list survives.

#include <v1model.p4>

const bit<32> RECIRCULATED = 4;
const bit<32> RESUBMITTED = 6;

header h_t {
    bit<8> kind;
    bit<8> rounds;
    bit<8> instances;
    bit<8> parsed;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    @field_list(1)
    bit<8> rounds;
    @field_list(1)
    bit<8> instances;
    bit<8> lost;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        hdr.h.parsed = hdr.h.parsed + 1;
        transition accept;
    }
}

#include "../include/stages.p4"

control Before(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = (bit<9>) hdr.h.kind;   // a port for each kind: no order among them
        if (std.instance_type == RESUBMITTED) {
            meta.instances = meta.instances | 0x01;
        } else if (std.instance_type == RECIRCULATED) {
            meta.instances = meta.instances | 0x02;
        }
        meta.rounds = meta.rounds + 1;
        meta.lost = meta.lost + 0x10;
        hdr.h.rounds = meta.rounds + meta.lost;
        hdr.h.instances = meta.instances;
        if (hdr.h.kind[0:0] == 1 && meta.rounds < 3) {
            resubmit_preserving_field_list(1);
        }
    }
}

control After(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.h.kind[1:1] == 1 && meta.rounds < 4) {
            recirculate_preserving_field_list(1);
        }
    }
}

V1Switch(ParseH(), NoVerify(), Before(), After(), NoCompute(), EmitAll()) main;
