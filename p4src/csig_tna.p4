// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Congestion signalling (CSIG, draft-ravi-ippm-csig) for Tofino: what csig.p4 does on v1model, as far as that chip can.
// docs/signals/csig.md lists the differences.
//
// A packet passes these files of csig/tna/ in this order. Those in ../ belong to csig.p4 too, those in ../../tna/ and
// ../../common/ to quench_tna.p4:
//
//   parser.p4                    ingress parser: ../parsing.p4 has the tags, ../../tna/options.p4 IPv4 and its checksum
//   ingress.p4                   calls, in this order:
//     ../../common/routing.p4      longest prefix: egress port and MAC addresses
//     ../arrivals.p4               is the port trusted?
//     ../strip.p4                  if not, the tag is removed
//   deparser.p4                  ingress deparser: checksum, and a header of 6 bytes for egress
//   the traffic manager's queue
//   parser.p4                    egress parser: those 6 bytes, and the tags
//   egress.p4                    by the port's settings the tag is removed, left alone, or updated; it calls, in this order:
//     load.p4                      filters of the hardware sum up what the port sends
//     delay.p4                     the time since arrival, and the time that the link needs for the queue
//     measure.p4                   the port's own number of the type that the tag asks for
//     update.p4                    compare and replace, with ../buckets.p4 for compact tags
//   deparser.p4                  egress deparser

#include <core.p4>
#include <tna.p4>

#include "csig/tna/parser.p4"
#include "csig/tna/ingress.p4"
#include "csig/tna/egress.p4"
#include "csig/tna/deparser.p4"

// Its types and numbers are those of quench_tna.p4, too, which has more of them.
@diagnostic("unused", "disable")
Pipeline(
    CsigIngressParser(),
    CsigIngress(),
    CsigIngressDeparser(),
    CsigEgressParser(),
    CsigEgress(),
    CsigEgressDeparser()) pipe;

Switch(pipe) main;
