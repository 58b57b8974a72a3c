// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A header with a field of a type that headers cannot have.
// expect: 10:5: a header cannot contain `error`

error { Some }
header bad_t {
    bit<8> x;
    error e;
}
