// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A call with too few arguments.
// expect: 15:19: no argument for parameter `y` of `max`

#include "include/frame.p4"

bit<8> max(in bit<8> x, in bit<8> y) {
    return x > y ? x : y;
}

CONTROL {
    apply {
        hdr.h.a = max(hdr.h.a);
    }
}

MAIN
