// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A constant of a value that is not known at compile time.
// expect: 10:22: the value of a constant must be known at compile time

#include "include/frame.p4"

CONTROL {
    const bit<8> X = hdr.h.b;

    apply {
        hdr.h.a = X;
    }
}

MAIN
