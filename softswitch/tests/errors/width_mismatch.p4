// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Values of different widths.
// expect: 11:22: expected `bit<16>`, found `bit<8>`

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.wide = hdr.h.a;
    }
}

MAIN
