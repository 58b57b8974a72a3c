// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An assignment to an `in` parameter.
// expect: 8:5: `x` is an `in` parameter: it cannot be written

bit<8> twice(in bit<8> x) {
    x = x + x;
    return x;
}
