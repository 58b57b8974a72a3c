// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two declarations of one name.
// expect: 8:15: `X` is already declared

const bit<8> X = 1;
const bit<16> X = 2;
