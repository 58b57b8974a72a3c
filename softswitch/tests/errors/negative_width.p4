// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A width below zero.
// expect: 7:11: a width cannot be negative: -1

const bit<(2 - 3)> X = 0;
