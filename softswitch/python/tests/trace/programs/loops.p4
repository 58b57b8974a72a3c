// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Packets that go round or are cloned for ever, if the switch lets them.

#include <v1model.p4>

header kind_t {
    bit<8> kind;                                // 0 recirculates, 1 resubmits, 2 clones
}

struct headers_t {
    kind_t kind;
}

struct metadata_t {
    @field_list(1)
    bit<32> passes;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.kind);
        transition accept;
    }
}

control NoVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Resubmit(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        meta.passes = meta.passes + 1;
        std.egress_spec = 1;
        if (hdr.kind.kind == 1) {
            resubmit_preserving_field_list(1);
        }
    }
}

control Copy(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.kind.kind == 0) {
            recirculate_preserving_field_list(1);
        } else if (hdr.kind.kind == 2) {
            clone_preserving_field_list(CloneType.E2E, 5, 1);
        }
    }
}

control NoCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), NoVerify(), Resubmit(), Copy(), NoCompute(), Emit()) main;
