// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A header union of something else than headers.
// expect: 8:5: a header union cannot contain `bit<8>`

header_union bad_t {
    bit<8> x;
}
