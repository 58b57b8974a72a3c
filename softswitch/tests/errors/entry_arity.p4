// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An entry with fewer values than keys.
// expect: 14:13: the table has 2 keys, but the entry has 1

#include "include/frame.p4"

CONTROL {
    table t {
        key = { hdr.h.a: exact; hdr.h.b: exact; }
        actions = { NoAction; }
        const entries = {
            1: NoAction();
        }
    }

    apply {
        t.apply();
    }
}

MAIN
