// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A result of another type.
// expect: 8:12: expected `bit<8>`, found `bool`

bit<8> is_zero(in bit<8> x) {
    return x == 0;
}
