// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// time_ns of a number, which cannot be written.
// expect: 12:17: expected something that can be written: a variable, or a part of one

#include "include/frame.p4"
#include <v1model_extended.p4>

CONTROL {
    apply {
        time_ns(64w1);
    }
}

MAIN
