// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Corners of the grammar: comments, empty statements, trailing commas, dotted global names, keywords as field names,
// don't-care arguments, operator precedence, `else if` chains, parentheses and literals of every kind.

#include <v1model.p4>

typedef bit<8> octet_t;
const octet_t LIMIT = 0B0000_1111;      /* binary, with a separator */
const octet_t TEN = 0d10;
const octet_t SEVEN = 8w0o7;
const octet_t same = 0x3F;              // shadowed below

enum Colour { Red, Green, Blue, }

header h_t {
    octet_t type;
    octet_t priority;
    octet_t precedence;
    octet_t scoped;
    octet_t branch;
    octet_t bools;
}

#include "../include/one_header.p4"

action nothing() {;}

void fill(out bit<8> first, out bit<8> second, in bit<8> value) {
    first = value;
    second = value + 1;
}

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    octet_t same = 0x01;
    Colour colour = Colour.Green;

    table t {
        key = { hdr.h.type: exact; }
        actions = { nothing; .NoAction; }
        const entries = {
            (0x01): nothing();
            0x02: .NoAction();
        }
        size = 4;
        default_action = nothing;
    }

    apply {
        ;
        { std.egress_spec = 9w1; { } }
        t.apply();
        // 2 + 3 * 4 = 14; << binds less than +; & less than <<; | less than ^
        hdr.h.precedence = 1 | 6 ^ 3 & (2 + 3 * 4) << 1;
        hdr.h.scoped = same + .same;
        {
            octet_t same = 0x20;
            hdr.h.scoped = hdr.h.scoped | same;
        }
        if (hdr.h.type == 0) hdr.h.branch = TEN;
        else if (hdr.h.type == 1) { hdr.h.branch = SEVEN; }
        else if (hdr.h.type < LIMIT) ;
        else if (colour != Colour.Green) { hdr.h.branch = 0xEE; }
        else fill(hdr.h.branch, _, 0x42);

        bool odd = hdr.h.type[0:0] == 1;
        bool large = hdr.h.type >= 0x80;
        hdr.h.bools = 0;
        if (odd && !large || large && !odd) {
            hdr.h.bools = hdr.h.bools | 1;
        }
        if (odd == large) hdr.h.bools = hdr.h.bools | 2;
        if (!(odd || large) ? true : odd && large) hdr.h.bools = hdr.h.bools | 4;
        hdr.h.priority = -(~hdr.h.type) + +1;
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
