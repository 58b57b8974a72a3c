// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Own headers included twice, macros with arguments, pasting and line continuation, nested conditionals.

#include <v1model.p4>
#include "../include/widths.p4"
#include "../include/widths.p4" // guarded: the second time is nothing

#define SET(n, \
            value) \
    hdr.h.FIELD(n) = value

#define MODE 2

#if defined(NOT_DEFINED) || BYTE_BITS > 8
#error "this is not read"
#elif MODE == 1
#define ANSWER 0x11
#elif MODE == 2 && !defined(NOT_DEFINED)
#   ifdef BYTE_BITS
#       define ANSWER 0x22 /* a comment is no part of it */
#   else
#       define ANSWER 0x33
#   endif
#else
#define ANSWER 0x44
#endif

#if 0
No P4 at all, and it's never looked at: #$!
#endif

header h_t {
    BYTES(1) FIELD(1);
    BYTES(2) FIELD(2);
    BYTES(1) FIELD(3);
    BYTES(1) FIELD(4);
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        SET(1, TWICE(hdr.h.field_1));
        SET(2, ADD(hdr.h.field_2, 1));
        SET(3, ANSWER);
#undef ANSWER
#ifndef ANSWER
        SET(4, BYTE_BITS);
#endif
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
