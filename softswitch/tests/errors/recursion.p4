// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A function that calls itself.
// expect: 8:25: the declaration of `down` refers to itself

bit<8> down(in bit<8> x) {
    return x == 0 ? x : down(x - 1);
}
