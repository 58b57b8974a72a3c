// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// `break` outside of a loop.
// expect: 11:9: `break` stands only in a loop

#include "include/frame.p4"

CONTROL {
    apply {
        break;
    }
}

MAIN
