// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A member that the enum does not have.
// expect: 11:40: `HashAlgorithm` has no member `md5`

#include "include/frame.p4"

CONTROL {
    apply {
        hash(hdr.h.wide, HashAlgorithm.md5, 16w0, { hdr.h.a }, 16w8);
    }
}

MAIN
