// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// exit ends ingress from within an action or a sub-control, after copying out; return ends only its own control or action.

#include <v1model.p4>

header h_t {
    bit<8> step;
    bit<8> ingress;
    bit<8> egress;
}

struct headers_t {
    h_t h;
}

struct metadata_t {}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

#include "../include/stages.p4"

control Leave(inout bit<8> trace, in bit<8> step) {
    apply {
        trace = trace | 0x01;
        if (step == 1) {
            return;
        }
        trace = trace | 0x02;
        if (step == 2) {
            exit;
        }
        trace = trace | 0x04;
    }
}

control Walk(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Leave() leave;

    action act(bit<8> at) {
        hdr.h.ingress = hdr.h.ingress | 0x08;
        if (at == 3) {
            return;
        }
        hdr.h.ingress = hdr.h.ingress | 0x10;
        if (at == 4) {
            exit;
        }
        hdr.h.ingress = hdr.h.ingress | 0x20;
    }
    table actions_by_step {
        key = { hdr.h.step: exact; }
        actions = { act; }
        const entries = {
            3: act(3);
            4: act(4);
            5: act(5);
        }
    }

    apply {
        std.egress_spec = 1;
        hdr.h.ingress = 0;
        leave.apply(hdr.h.ingress, hdr.h.step);
        actions_by_step.apply();
        if (hdr.h.step == 6) {
            return;
        }
        hdr.h.ingress = hdr.h.ingress | 0x80;
    }
}

control Note(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.egress = 0xE0;
        if (hdr.h.step == 7) {
            exit;
        }
        hdr.h.egress = 0xE1;
    }
}

V1Switch(ParseH(), NoVerify(), Walk(), Note(), NoCompute(), EmitAll()) main;
