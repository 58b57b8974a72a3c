// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Header unions: at most one member is valid, whichever was extracted or written last; a stack of unions.

#include <v1model.p4>

header kind_t {
    bit<8> kind;
}

header short_t {
    bit<8> value;
}

header long_t {
    bit<16> value;
}

header_union number_t {
    short_t s;
    long_t l;
}

struct headers_t {
    kind_t kind;
    number_t first;
    number_t[2] rest;
    kind_t result;
}

struct metadata_t {}

parser ParseNumbers(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.kind);
        transition select(hdr.kind.kind[3:0]) {
            1: first_short;
            2: first_long;
            default: rest;
        }
    }

    state first_short {
        packet.extract(hdr.first.s);
        transition rest;
    }

    state first_long {
        packet.extract(hdr.first.l);
        transition rest;
    }

    state rest {
        transition select(hdr.kind.kind[7:4]) {
            1: rest_short_long;
            2: rest_long;
            default: accept;
        }
    }

    state rest_short_long {
        packet.extract(hdr.rest[0].s);
        packet.extract(hdr.rest[1].l);
        transition accept;
    }

    state rest_long {
        packet.extract(hdr.rest[0].l);
        transition accept;
    }
}

#include "../include/stages.p4"

control Convert(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.result.setValid();
        hdr.result.kind = 0;
        if (hdr.first.isValid()) {
            hdr.result.kind = hdr.result.kind | 1;
        }
        if (hdr.first.s.isValid()) {
            bit<8> value = hdr.first.s.value;
            hdr.first.l.setValid();                 // takes the place of s
            hdr.first.l.value = (bit<16>) value;
        } else if (hdr.first.l.isValid()) {
            bit<16> value = hdr.first.l.value;
            hdr.first.s = { value[7:0] };           // so does an assignment
        }
        if (hdr.first.s.isValid()) {
            hdr.result.kind = hdr.result.kind | 2;
        }
        if (hdr.first.l.isValid()) {
            hdr.result.kind = hdr.result.kind | 4;
        }
        if (hdr.rest[0].l.isValid()) {
            hdr.rest[0].l.setInvalid();
        }
        if (hdr.rest[1].l.isValid()) {
            hdr.rest[1].l.value = hdr.rest[1].l.value + 1;
            hdr.result.kind = hdr.result.kind | 8;
        }
    }
}

V1Switch(ParseNumbers(), NoVerify(), Convert(), NoEgress(), NoCompute(), EmitAll()) main;
