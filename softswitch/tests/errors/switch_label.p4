// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A switch on an action that the table does not have.
// expect: 18:13: `other` is not an action of table `Fault.t`

#include "include/frame.p4"

CONTROL {
    action other() {}
    table t {
        key = { hdr.h.a: exact; }
        actions = { NoAction; }
    }

    apply {
        switch (t.apply().action_run) {
            other: { hdr.h.b = 1; }
        }
    }
}

MAIN
