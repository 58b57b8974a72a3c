// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Congestion notification for a v1model switch. See docs/pipeline.md.

#include <core.p4>
#include <v1model.p4>

#include "include/types.p4"
#include "include/packet.p4"
#include "include/metadata.p4"
#include "include/parser.p4"
#include "include/checksum.p4"
#include "include/ingress.p4"
#include "include/egress.p4"
#include "include/deparser.p4"

V1Switch(
    QuenchParser(),
    QuenchVerifyChecksum(),
    QuenchIngress(),
    QuenchEgress(),
    QuenchUpdateChecksum(),
    QuenchDeparser()) main;
