// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A statement without its semicolon.
// expect: 11:20: expected ';', found 'hdr'

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.a = 1
        hdr.h.b = 2;
    }
}

MAIN
