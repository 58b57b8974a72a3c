// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Congestion notification for Tofino. See docs/reference/tofino.md.

#include <core.p4>
#include <tna.p4>

#include "include/tna/types.p4"
#include "include/tna/headers.p4"
#include "include/tna/metadata.p4"
#include "include/tna/parser.p4"
#include "include/tna/ingress.p4"
#include "include/tna/egress.p4"
#include "include/tna/deparser.p4"

Pipeline(
    QuenchIngressParser(),
    QuenchIngress(),
    QuenchIngressDeparser(),
    QuenchEgressParser(),
    QuenchEgress(),
    QuenchEgressDeparser()) pipe;

Switch(pipe) main;
