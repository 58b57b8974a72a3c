// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A direct meter that an action reads and no table has.
// expect: 10:5: direct meter Fault.meter is read, but no table has it: add `meters` to the table

#include "include/frame.p4"

CONTROL {
    direct_meter<bit<8>>(MeterType.packets) meter;

    action mark() {
        meter.read(meta.m);
    }

    table t {
        actions = { mark; }
        default_action = mark();
    }

    apply {
        t.apply();
    }
}

MAIN
