// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A block that does not end.
// expect: 8:14: expected '}', found the end of the file

struct s_t {
    bit<8> x;
