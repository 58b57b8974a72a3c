// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A condition that is a number.
// expect: 11:13: expected `bool`, found `bit<8>`

#include "include/frame.p4"

CONTROL {
    apply {
        if (hdr.h.a) {
            hdr.h.b = 1;
        }
    }
}

MAIN
