// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Stacks and arrays without elements, as a configuration by macros can leave them.

#include <v1model.p4>

#define LABELS 0

header h_t {
    bit<8> kind;
    bit<8> log;
}

header label_t {
    bit<8> value;
}

header_union either_t {
    h_t h;
    label_t label;
}

struct headers_t {
    h_t h;
    label_t[LABELS] labels;
    label_t[LABELS] others;
    either_t[LABELS] unions;
}

struct metadata_t {
    bit<8>[LABELS] values;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.kind) {
            1: label;
            2: union;
            default: accept;
        }
    }

    state label {
        packet.extract(hdr.labels.next);
        transition accept;
    }

    state union {
        packet.extract(hdr.unions.next.label);
        transition accept;
    }
}

#include "../include/stages.p4"

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    metadata_t copy;

    apply {
        std.egress_spec = 1;
        if (std.parser_error == error.StackOutOfBounds) {
            hdr.h.log = 0xEE;
        }
        hdr.labels.push_front(1);
        hdr.labels.pop_front(1);
        hdr.others = hdr.labels;
        copy = meta;
        for (label_t label in hdr.others) {
            hdr.h.log = label.value;
        }
        if (hdr.labels == hdr.others && copy.values == meta.values) {
            hdr.h.kind = hdr.h.kind + 0x10;
        }
        if (hdr.labels[hdr.h.log].isValid()) {
            hdr.h.kind = 0xFF;
        }
    }
}

V1Switch(ParseH(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
