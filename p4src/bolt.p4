// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Bolt (Arslan et al., NSDI 2023) for a v1model switch: congestion control below a round trip.
//
// A data packet that finds a long queue makes the switch send its header back to the sender (SRC). A packet that may tell its
// sender to grow (INC) keeps that permission only if there is a token for it: of a flow that is about to end (proactive
// ramp-up, PRU), or of bandwidth that nobody used (supply matching, SM). docs/schemes/bolt.md says where this is from.
//
// A packet passes these files. Those in datacentre/ belong to hpcc.p4 too, those in common/ and v1model/ to quench.p4:
//
//   datacentre/parser.p4, checksum.p4   headers and the IPv4 checksum
//   bolt/ingress.p4              calls, in this order:
//     datacentre/router.p4         v1model/length.p4, common/routing.p4, v1model/next_hop.p4; the queue
//     bolt/settings.p4             the port's settings, which are rows of one table
//     bolt/tokens.p4               supply tokens: what the link could have sent since the last packet
//     datacentre/queue_bytes.p4    the bytes that wait for the port
//     bolt/decision.p4             SRC, PRU and SM
//     common/isq_eligibility.p4    may a packet be sent to this sender?
//     datacentre/queue_bytes.p4    the limit above which packets are dropped
//   the target's queues: 1, with all that tells a sender something, before 0
//   bolt/egress.p4               makes of a clone, by bolt/notification.p4, the notification, and recirculates it
//   datacentre/checksum.p4, deparser.p4
//
// With the extension of v1model that the embedded switch has, time is in nanoseconds and the queue as the switch knows it.
// Without it, as p4c compiles it for BMv2, time is in microseconds and the program counts the queue itself.

#include <core.p4>
#include <v1model.p4>
#ifdef __V1MODEL_EXTENDED__
#include <v1model_extended.p4>
#endif

#define OWN_PROTOCOL 8w196
#define OWN_HEADER signal

#include "datacentre/types.p4"
#include "bolt/metadata.p4"
#include "datacentre/parser.p4"
#include "datacentre/checksum.p4"
#include "bolt/ingress.p4"
#include "bolt/egress.p4"
#include "datacentre/deparser.p4"

// Its types and numbers are those of quench.p4, too, which has more of them.
@diagnostic("unused", "disable")
V1Switch(
    DatacentreParser(),
    DatacentreVerifyChecksum(),
    BoltIngress(),
    BoltEgress(),
    DatacentreUpdateChecksum(),
    DatacentreDeparser()) main;
