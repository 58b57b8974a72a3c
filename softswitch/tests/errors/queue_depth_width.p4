// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A port of 16 bits.
// expect: 15:21: expected `bit<9>`, found `bit<16>`

#include "include/frame.p4"
#include <v1model_extended.p4>

CONTROL {
    bit<32> pkts;
    bit<32> bytes;

    apply {
        queue_depth(hdr.h.wide, 0, pkts, bytes);
    }
}

MAIN
