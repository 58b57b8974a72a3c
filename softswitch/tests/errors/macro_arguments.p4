// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A macro with too few arguments.
// expect: 8:18: macro 'ADD' takes 2 arguments, not 1

#define ADD(a, b) ((a) + (b))
const bit<8> X = ADD(1);
