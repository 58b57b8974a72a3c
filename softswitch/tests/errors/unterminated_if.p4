// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An #if without #endif.
// expect: 7:1: this conditional has no #endif

#if 1
const bit<8> X = 1;
