// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A slice beyond the value.
// expect: 11:32: bit 9 is outside of `bit<8>`

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.a[3:0] = hdr.h.b[9:6];
    }
}

MAIN
