// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A control in the wrong place of the package.
// expect: 9:32: expected `Ingress<headers_t, metadata_t>`, found `NoCompute`

#include "include/frame.p4"

V1Switch(ParseH(), NoVerify(), NoCompute(), NoEgress(), NoCompute(), EmitAll()) main;
