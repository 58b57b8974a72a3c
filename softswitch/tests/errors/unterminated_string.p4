// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A string that does not end.
// expect: 7:7: unterminated string

@name("never closed)
const bit<8> X = 1;
