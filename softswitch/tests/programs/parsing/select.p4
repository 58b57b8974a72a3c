// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Transitions on masks, ranges, tuples and names; lookahead of a tuple and of a struct; advance.

#include <v1model.p4>

const bit<8> MAGIC = 0x7E;

header first_t {
    bit<4> class;
    bit<4> flags;
    bit<8> path;
}

header second_t {
    bit<16> value;
}

struct peek_t {
    bit<4> skip_nibbles;
    bit<4> unused;
    bit<8> mark;
}

struct headers_t {
    first_t first;
    second_t second;
}

struct metadata_t {
    bit<8> path;
}

parser ParseByPath(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.first);
        meta.path = 0;
        transition select(hdr.first.class, hdr.first.flags) {
            (0, 0): accept;
            (1 .. 3, _): low;
            (4 &&& 12, 1): odd;             // class 4 to 7
            (4 &&& 12, default): even;
            (8, 0b1000 &&& 0b1000): look;
            (9, 2 .. 4): skip;
            default: other;
        }
    }

    state low {
        meta.path = 1;
        transition accept;
    }

    state odd {
        meta.path = 2;
        transition accept;
    }

    state even {
        meta.path = 3;
        transition last;
    }

    state look {
        meta.path = 4;
        bit<16> next_two = packet.lookahead<bit<16>>();
        transition select(next_two[15:8], next_two[0:0]) {
            (MAGIC, 1): found;
            (MAGIC, _): last;
            _: accept;
        }
    }

    state found {
        meta.path = 5;
        transition last;
    }

    state skip {
        peek_t peek = packet.lookahead<peek_t>();
        packet.advance((bit<32>) peek.skip_nibbles << 2);
        meta.path = peek.mark;
        transition last;
    }

    state other {
        bit<8> path = 6;
        {
            bit<8> inner = path + 1;
            meta.path = inner;
        }
        transition accept;
    }

    state last {
        packet.extract(hdr.second);
        transition accept;
    }
}

#include "../include/stages.p4"

control Report(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.first.path = meta.path;
        if (hdr.second.isValid()) {
            hdr.second.value = hdr.second.value ^ 0xFFFF;
        }
    }
}

V1Switch(ParseByPath(), NoVerify(), Report(), NoEgress(), NoCompute(), EmitAll()) main;
