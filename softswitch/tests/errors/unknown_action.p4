// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A table of an action that is not there.
// expect: 12:31: `forward` is not declared in this scope

#include "include/frame.p4"

CONTROL {
    table t {
        key = { hdr.h.a: exact; }
        actions = { NoAction; forward; }
    }

    apply {
        t.apply();
    }
}

MAIN
