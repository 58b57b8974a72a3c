// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An operator on different widths.
// expect: 11:22: `+` is not defined for `bit<16>` and `bit<8>`

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.wide = hdr.h.wide + hdr.h.a;
    }
}

MAIN
