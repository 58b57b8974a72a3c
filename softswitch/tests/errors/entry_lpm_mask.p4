// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A mask that is no prefix, for a key matched by prefix.
// expect: 14:22: the mask of an `lpm` key must be a prefix: ones, then zeros

#include "include/frame.p4"

CONTROL {
    table t {
        key = { hdr.h.a: lpm; }
        actions = { NoAction; }
        const entries = {
            0x0F &&& 0x0F: NoAction();
        }
    }

    apply {
        t.apply();
    }
}

MAIN
