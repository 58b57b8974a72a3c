// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Congestion notification for a v1model switch.
//
// A scheme (RED, ECN, BECN, ...) is rows of the table `curve` in decision.p4 and one row of `profile_parameters` in
// profile.p4. No scheme has code of its own here. The controller computes the rows, and changes them while packets flow.
//
// A packet passes these files of v1model/ in this order. Those in common/ belong to the TNA program too:
//
//   parser.p4                    packet-out, Ethernet, IPv4 or IPv6, the 8 bytes behind the IP header, of which a source
//                                quench quotes IPv4's, and the header of RoCEv2
//   checksum.p4                  verifies the IPv4 header checksum
//   ingress.p4                   calls, in this order:
//     length.p4                    does the frame hold the packet, and the packet its header?
//     common/isq_format.p4         is its source in the domain of source quenches, and in which form does it get them?
//     common/isq_eligibility.p4    may a source quench be sent about this packet (RFC 1122, RFC 1812)?
//     common/routing.p4            longest prefix: egress port and MAC addresses
//     next_hop.p4                  of a route with several next hops: the flow's own
//     common/classification.p4     DSCP: queue of that port
//     profile.p4                   (port, queue): the congestion profile and its parameters
//     average.p4                   reads the queue's average and depth
//     idle_decay.p4                decays the average by the time without packets
//     depth.p4                     if the profile asks for it, the queue's bytes instead of the average
//     decision.p4, draw.p4         decision on arrival: drops, and with `mark_at: tail` marks too
//     isq_trigger.p4               does the verdict cause a source quench?
//     cpu_copy.p4                  if so: the fields of the copy. ingress.p4 makes the clone
//     common/marking.p4            writes the mark
//   the target's queue
//   egress.p4                    calls, in this order:
//     average.p4, idle_decay.p4    fold the depth of the queue into the average
//     depth.p4                     as in ingress
//     decision.p4, draw.p4         decision on departure: with `mark_at: head` the marks
//     isq_trigger.p4, common/marking.p4   as in ingress
//     cpu_copy.p4                  is a queue report due? The fields of the copy, and egress.p4 makes the clone
//   checksum.p4                  writes the checksums
//   deparser.p4                  the headers, in the order in which they leave
//
// A clone passes egress.p4 only. cpu_copy.p4 makes a packet-in for the controller of it, or source_quench.p4 a source quench,
// which is recirculated and routed as any packet: with common/isq_headers.p4 one of ICMP, with common/cnp_headers.p4 and icrc.p4
// a congestion notification packet of RoCEv2.
//
// The other files hold declarations: types.p4 and common/types.p4 every width and number, common/headers.p4 and packet.p4
// the headers, metadata.p4 the metadata, counters.p4 the counters, common/checksum_fields.p4 and icrc_fields.p4 the fields of a checksum.
//
// docs/architecture.md has the picture, docs/pipeline.md explains each step.

#include <core.p4>
#include <v1model.p4>

// depth.p4 needs a function that only the embedded switch has, so a build has it by -D QUENCH_EXTENDED alone. Without it
// the JSON is one for BMv2, too (docs/decisions/0141-functions-for-time-and-depth.md).
#ifdef QUENCH_EXTENDED
#ifndef __V1MODEL_EXTENDED__
#error QUENCH_EXTENDED needs `quench compile`, and a switch that has v1model_extended.p4
#endif
#include <v1model_extended.p4>
#endif

#include "v1model/types.p4"
#include "v1model/packet.p4"
#include "v1model/metadata.p4"
#include "v1model/parser.p4"
#include "v1model/checksum.p4"
#include "v1model/ingress.p4"
#include "v1model/egress.p4"
#include "v1model/deparser.p4"

V1Switch(
    QuenchParser(),
    QuenchVerifyChecksum(),
    QuenchIngress(),
    QuenchEgress(),
    QuenchUpdateChecksum(),
    QuenchDeparser()) main;
