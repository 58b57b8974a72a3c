// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Division by a value of the packet, which BMv2 cannot do.
// expect: 11:19: not supported: division and modulo other than of a bit<> value by a positive constant

#include "include/frame.p4"

CONTROL {
    apply {
        hdr.h.a = hdr.h.a / hdr.h.b;
    }
}

MAIN
