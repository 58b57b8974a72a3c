// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A character that P4 does not have.
// expect: 7:20: expected ';', found '$'

const bit<8> X = 1 $ 2;
