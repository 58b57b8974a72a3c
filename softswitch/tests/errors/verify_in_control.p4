// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// verify outside of a parser.
// expect: 11:9: `verify` can be called only in a parser

#include "include/frame.p4"

CONTROL {
    apply {
        verify(hdr.h.a == 1, error.NoMatch);
    }
}

MAIN
