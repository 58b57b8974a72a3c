// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A program without `main`.
// expect: 9:20: the program has no `main`: the instance of a package that is to run

#include <v1model.p4>

const bit<8> X = 1;
