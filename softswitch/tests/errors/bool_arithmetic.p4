// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic on truth values.
// expect: 11:21: `+` is not defined for `bool` and `bool`

#include "include/frame.p4"

CONTROL {
    apply {
        bool both = (hdr.h.a == 1) + (hdr.h.b == 1);
    }
}

MAIN
