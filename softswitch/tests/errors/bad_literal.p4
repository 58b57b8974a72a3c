// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A digit that the base does not have.
// expect: 7:18: '0b102' is not an integer

const bit<8> X = 0b102;
