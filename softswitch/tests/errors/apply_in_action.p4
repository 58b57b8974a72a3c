// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A table applied within an action.
// expect: 14:9: a table cannot be applied in an action

#include "include/frame.p4"

CONTROL {
    table t {
        actions = { NoAction; }
    }
    action act() {
        t.apply();
    }

    apply {
        act();
    }
}

MAIN
