// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// `next` outside of a parser.
// expect: 11:29: `next` of a header stack can be used only in a parser

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.a = hdr.stack.next.a;
    }
}

MAIN
