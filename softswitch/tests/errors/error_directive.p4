// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// #error stops the compiler.
// expect: 8:1: #error "set CONFIGURED first"

#ifndef CONFIGURED
#error "set CONFIGURED first"
#endif
