// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A value for a field that the struct does not have.
// expect: 11:18: `metadata_t` has no field `n`

#include "include/frame.p4"

CONTROL {
    apply {
        meta = { n = 1 };
    }
}

MAIN
