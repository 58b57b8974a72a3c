// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A struct without one of its fields.
// expect: 12:21: field `y` of `pair_t` has no value

struct pair_t {
    bit<8> x;
    bit<8> y;
}

const pair_t PAIR = { x = 1 };
