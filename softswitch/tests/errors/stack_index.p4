// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A constant index beyond the stack.
// expect: 11:19: index 2 is outside: there are 2 elements

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.stack[2].a = 1;
    }
}

MAIN
