// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A default action that is not in the list of actions.
// expect: 16:26: action `drop` is not in the table's list of actions

#include "include/frame.p4"

CONTROL {
    action drop() {
        mark_to_drop(std);
    }
    table t {
        key = { hdr.h.a: exact; }
        actions = { NoAction; }
        default_action = drop();
    }

    apply {
        t.apply();
    }
}

MAIN
