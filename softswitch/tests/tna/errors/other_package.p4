// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A program for another architecture.
// expect: 9:1: `main` is a `V1Switch`, but --arch tna is for a `Switch` of tna.p4

#include "../../errors/include/frame.p4"

V1Switch(ParseH(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
