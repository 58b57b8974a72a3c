// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An included file that is not there.
// expect: 7:1: cannot find the file 'no_such_file.p4'

#include "no_such_file.p4"
