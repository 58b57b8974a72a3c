// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A package with too few arguments.
// expect: 9:1: no argument for parameter `dep` of `V1Switch`

#include "include/frame.p4"

V1Switch(ParseH(), NoVerify(), NoEgress(), NoEgress(), NoCompute()) main;
