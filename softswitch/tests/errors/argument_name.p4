// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An argument for a parameter that does not exist.
// expect: 15:24: `same` has no parameter `y`

#include "include/frame.p4"

bit<8> same(in bit<8> x) {
    return x;
}

CONTROL {
    apply {
        hdr.h.a = same(y = hdr.h.a);
    }
}

MAIN
