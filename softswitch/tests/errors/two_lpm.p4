// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two keys matched by prefix, which BMv2 cannot do.
// expect: 10:5: not supported: more than one lpm key in table Fault.t

#include "include/frame.p4"

CONTROL {
    table t {
        key = { hdr.h.a: lpm; hdr.h.b: lpm; }
        actions = { NoAction; }
    }

    apply {
        t.apply();
    }
}

MAIN
