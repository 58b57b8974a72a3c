// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// resubmit in egress.
// expect: 11:9: not supported: resubmit_preserving_field_list in egress

#include "include/frame.p4"

CONTROL {
    apply {
        resubmit_preserving_field_list(0);
    }
}

V1Switch(ParseH(), NoVerify(), NoEgress(), Fault(), NoCompute(), EmitAll()) main;
