// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An #else without #if.
// expect: 8:1: #else without #if

const bit<8> X = 1;
#else
