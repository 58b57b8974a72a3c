// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A type that nobody declared.
// expect: 8:5: there is no type 'missing_t'

struct s_t {
    missing_t x;
}
