// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An extern made without its argument.
// expect: 10:5: no argument for parameter `size` of `register`

#include "include/frame.p4"

CONTROL {
    register<bit<8>>() r;

    apply {
        r.write(0, 1);
    }
}

MAIN
