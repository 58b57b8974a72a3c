// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A shift by a negative number of bits.
// expect: 7:25: cannot shift by a negative amount: -1

const bit<8> X = 8w1 << -1;
