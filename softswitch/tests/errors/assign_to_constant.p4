// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An assignment to a constant.
// expect: 13:9: expected something that can be written: a variable, or a part of one

#include "include/frame.p4"

const bit<8> LIMIT = 1;

CONTROL {
    apply {
        LIMIT = 2;
    }
}

MAIN
