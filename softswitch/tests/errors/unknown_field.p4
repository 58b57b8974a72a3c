// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A field that the header does not have.
// expect: 11:15: `h_t` has no member `c`

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.c = 1;
    }
}

MAIN
