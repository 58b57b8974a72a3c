// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An expression where an l-value is needed.
// expect: 15:15: expected something that can be written: a variable, or a part of one

#include "include/frame.p4"

void clear(out bit<8> x) {
    x = 0;
}

CONTROL {
    apply {
        clear(hdr.h.a + 1);
    }
}

MAIN
