// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Structs, tuples and headers as values: nesting, comparison, lists, names, defaults with `...`, invalid `{#}`.

#include <v1model.p4>

struct point_t {
    bit<8> x;
    bit<8> y;
}

struct segment_t {
    point_t from;
    point_t to;
    bool directed;
}

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> flags;
    bit<8> rest;
}

header note_t {
    bit<8> left;
    bit<8> right;
}

struct headers_t {
    h_t h;
    note_t one;
    note_t two;
}

struct metadata_t {
    segment_t segment;
    tuple<bit<8>, bit<16>> tagged;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

#include "../include/stages.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.flags = 0;
        meta.segment = { { hdr.h.a, hdr.h.b }, { x = hdr.h.c, y = hdr.h.d }, true };
        if (meta.segment.from == meta.segment.to) {
            hdr.h.flags = hdr.h.flags | 1;
        }
        segment_t backwards = { to = meta.segment.from, from = meta.segment.to, directed = true };
        if (backwards != meta.segment) {
            hdr.h.flags = hdr.h.flags | 2;
        }

        // All of the right side is read before the left side is written.
        backwards.from = { backwards.from.y, backwards.from.x };
        hdr.h.a = backwards.from.x;
        hdr.h.b = backwards.from.y;

        segment_t empty = ...;
        segment_t partly = { from = { x = 7, ... }, ... };
        hdr.h.c = partly.from.x + partly.from.y + empty.to.x;
        if (!partly.directed && empty.from == { 0, 0 }) {
            hdr.h.flags = hdr.h.flags | 4;
        }

        meta.tagged = { hdr.h.d, 16w0x1234 };
        if (meta.tagged == { hdr.h.d, 16w0x1234 }) {
            hdr.h.flags = hdr.h.flags | 8;
        }
        hdr.h.rest = meta.tagged[1][7:0] + meta.tagged[0];

        // Two invalid headers are equal, a valid and an invalid one are not.
        if (hdr.one == hdr.two) {
            hdr.h.flags = hdr.h.flags | 0x10;
        }
        hdr.one = { left = 1, ... };
        hdr.two = { 1, 0 };
        if (hdr.one == hdr.two) {
            hdr.h.flags = hdr.h.flags | 0x20;
        }
        hdr.two = (note_t) {#};
        if (hdr.one != hdr.two) {
            hdr.h.flags = hdr.h.flags | 0x40;
        }
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
