// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A path through a function without a result.
// expect: 7:8: `sign` must give a value of the type `bit<8>` on every path

bit<8> sign(in bit<8> x) {
    if (x > 127) {
        return 1;
    }
}
