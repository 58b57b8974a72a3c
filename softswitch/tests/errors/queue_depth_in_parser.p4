// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// queue_depth in a parser, which runs before ingress.
// expect: 15:9: not supported: queue_depth in the parser

#include "include/frame.p4"
#include <v1model_extended.p4>

PARSER(
    bit<32> pkts;
    bit<32> bytes;

    state start {
        queue_depth(1, 0, pkts, bytes);
        transition accept;
    }
)

V1Switch(Faulty(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
