// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A number below 0 as a size, which is an unsigned number of 32 bits.
// expect: 10:5: 4294967295 elements: 1 to 2147483647 are possible

#include "include/frame.p4"

CONTROL {
    register<bit<8>>(0 - 1) seen;

    apply {
        seen.write(0, hdr.h.a);
    }
}

MAIN
