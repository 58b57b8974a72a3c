// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Clones: from ingress the packet as it came, from egress the packet as it leaves, with the metadata of a field list.

#include <v1model.p4>

const bit<32> SESSION_INGRESS = 5;
const bit<32> SESSION_EGRESS = 6;
const bit<32> CLONED_FROM_INGRESS = 1;
const bit<32> CLONED_FROM_EGRESS = 2;

header h_t {
    bit<8> kind;
    bit<8> kept;
    bit<8> lost;
    bit<8> instance;
    bit<8> port;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    @field_list(1, 2)
    bit<8> kept;
    @field_list(2)
    bit<8> only_second;
    bit<8> lost;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

#include "../include/stages.p4"

control Before(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        meta.kept = 0x11;
        meta.only_second = 0x22;
        meta.lost = 0x33;
        if (hdr.h.kind[0:0] == 1) {
            clone_preserving_field_list(CloneType.I2E, SESSION_INGRESS, 1);
        }
        if (hdr.h.kind[2:2] == 1) {
            clone(CloneType.I2E, SESSION_INGRESS);
        }
        hdr.h.kind = hdr.h.kind | 0x80;         // not in the clone from ingress
    }
}

control After(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.kept = meta.kept;
        hdr.h.lost = meta.lost + meta.only_second;
        hdr.h.instance = std.instance_type[7:0];
        hdr.h.port = std.egress_port[7:0];
        if (std.instance_type != CLONED_FROM_EGRESS && std.instance_type != CLONED_FROM_INGRESS) {
            if (hdr.h.kind[1:1] == 1) {
                clone_preserving_field_list(CloneType.E2E, SESSION_EGRESS, 2);
            }
            hdr.h.kind = hdr.h.kind | 0x40;     // in the clone from egress too
            if (hdr.h.kind[3:3] == 1) {
                mark_to_drop(std);              // the clone is made all the same
            }
        }
    }
}

V1Switch(ParseH(), NoVerify(), Before(), After(), NoCompute(), EmitAll()) main;
