// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A comment that does not end.
// expect: 7:20: unterminated comment

const bit<8> X = 1; /* from here on nothing is read
