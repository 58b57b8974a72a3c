// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Division of constants by zero.
// expect: 7:18: division by zero

const bit<8> X = 1 / 0;
