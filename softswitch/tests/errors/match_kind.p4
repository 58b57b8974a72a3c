// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A match kind that nobody declared.
// expect: 11:26: `fuzzy` is not a declared match_kind

#include "include/frame.p4"

CONTROL {
    table t {
        key = { hdr.h.a: fuzzy; }
        actions = { NoAction; }
    }

    apply {
        t.apply();
    }
}

MAIN
