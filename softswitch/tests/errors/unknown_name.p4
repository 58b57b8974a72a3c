// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A name that nobody declared.
// expect: 11:19: `undeclared` is not declared in this scope

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.a = undeclared;
    }
}

MAIN
