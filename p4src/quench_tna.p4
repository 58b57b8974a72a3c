// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Congestion notification for Tofino: what quench.p4 does on v1model.
//
// A scheme (RED, ECN, BECN, ...) is rows of the table `curve` in decision.p4 and one row of `profile_parameters` in
// profile.p4, each in both pipelines, with a time constant of the filter in average.p4. No scheme has code of its own here.
// The controller computes the rows, and changes them while packets flow.
//
// A packet passes these files of tna/ in this order. Those in ../common/ belong to quench.p4 too:
//
//   parser.p4                       ingress parser: packet-out, headers and the IPv4 header checksum; from a recirculation
//                                   port a state message or a source quench
//   ingress.p4                      calls, in this order:
//     state.p4                        prepares the read of the queue's average, or the write of a state message
//     cpu_copy.p4                     the time stamp of copies
//     ../common/isq_format.p4         is its source in the domain of source quenches, and in which form does it get them?
//     ../common/isq_eligibility.p4    may a source quench be sent about this packet (RFC 1122, RFC 1812)?
//     ip_fields.p4                    DSCP, ECN and length of the packet
//     ../common/routing.p4            longest prefix: egress port and MAC addresses
//     ../common/classification.p4     DSCP: queue of that port
//     size.p4                         the packet's size as a logarithm
//     profile.p4                      (port, queue): the congestion profile and its parameters
//     state.p4                        reads the average that egress has sent last
//     decision.p4, draw.p4            decision on arrival: drops, and with `mark_at: tail` marks too
//     isq_trigger.p4                  does the verdict cause a source quench?
//     cpu_copy.p4                     if so: the mirror session of the copy
//     ../common/marking.p4            writes the mark
//     counters.p4                     counts the verdict
//   deparser.p4                     ingress deparser: mirrors, checksum, and a header of 9 bytes for egress
//   the traffic manager's queue
//   parser.p4                       egress parser: those 9 bytes, or a mirror's header, and the headers
//   egress.p4                       calls, in this order:
//     ip_fields.p4                    as in ingress
//     cpu_copy.p4                     the time stamp of copies
//     average.p4                      the hardware's low-pass filter over the depth of the queue
//     profile.p4                      the parameters again, under the id that ingress found
//     cpu_copy.p4                     are a queue report or a state message due?
//     state.p4                        has the queue become empty, or is it empty no more?
//     decision.p4, draw.p4            decision on departure: with `mark_at: head` the marks
//     isq_trigger.p4, ../common/marking.p4, counters.p4, cpu_copy.p4   as in ingress
//   deparser.p4                     egress deparser: mirrors and checksums
//
// A mirror passes egress only. One for the CPU leaves as packet-in. source_quench.p4 makes a source quench of
// another, with ../common/isq_headers.p4 one of ICMP, with ../common/cnp_headers.p4 and icrc.p4 a congestion notification packet
// of RoCEv2. It enters ingress again by a recirculation port. A state message is a mirror too: it
// brings the average of a queue from egress to ingress, because the pipelines share no register.
//
// The other files hold declarations: ../common/types.p4 and ../common/headers.p4, to which types.p4 and headers.p4 add
// those of Tofino; packet.p4 and metadata.p4 have headers and metadata, options.p4 IPv4 options, ../common/checksum_fields.p4
// and icrc_fields.p4 the fields of a checksum. options.p4 belongs to csig_tna.p4, too.
//
// docs/reference/tofino.md lists the differences from v1model, file by file.

#include <core.p4>
#include <tna.p4>

#include "tna/types.p4"
#include "tna/headers.p4"
#include "tna/metadata.p4"
#include "tna/parser.p4"
#include "tna/ingress.p4"
#include "tna/egress.p4"
#include "tna/deparser.p4"

Pipeline(
    QuenchIngressParser(),
    QuenchIngress(),
    QuenchIngressDeparser(),
    QuenchEgressParser(),
    QuenchEgress(),
    QuenchEgressDeparser()) pipe;

Switch(pipe) main;
