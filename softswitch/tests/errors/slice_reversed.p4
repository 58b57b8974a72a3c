// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A slice from the low bit to the high.
// expect: 11:19: the slice [0:7] is empty: the higher bit comes first

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.b = hdr.h.wide[0:7];
    }
}

MAIN
