// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// DualPI2 (RFC 9332) for v1model: two queues of a port, for L4S and for classic traffic, whose probabilities are coupled.
// docs/signals/dualpi2.md says where this is from and how it differs.
//
// A packet passes these files. Those in datacentre/ belong to bolt.p4 and others too, those in common/ and v1model/ to quench.p4:
//
//   datacentre/parser.p4, checksum.p4   headers and the IPv4 checksum
//   dualpi2/ingress.p4           the port's settings, which are rows of one table, and the queue; it calls, in this order:
//     datacentre/router.p4         v1model/length.p4, common/routing.p4, v1model/next_hop.p4
//     dualpi2/decision.p4          the decision on arrival, where the settings want it
//     datacentre/queue_bytes.p4    the limit above which packets are dropped
//   the target's queues: 1, for L4S, and 0. Their scheduler is the target's
//   dualpi2/egress.p4            calls, in this order:
//     datacentre/queue_bytes.p4    the bytes that wait for the port
//     dualpi2/probability.p4       the proportional integral controller
//     dualpi2/decision.p4          the decision on departure
//     dualpi2/mark.p4              the step of the L4S queue
//   datacentre/checksum.p4, deparser.p4
//
// With the extension of v1model that the embedded switch has, queues are as the switch knows them. Without it, as p4c compiles it
// for BMv2, the program counts them itself.

#include <core.p4>
#include <v1model.p4>
#ifdef __V1MODEL_EXTENDED__
#include <v1model_extended.p4>
#endif

#include "dualpi2/metadata.p4"
#include "datacentre/parser.p4"
#include "datacentre/checksum.p4"
#include "dualpi2/ingress.p4"
#include "dualpi2/egress.p4"
#include "datacentre/deparser.p4"

// Its types and numbers are those of quench.p4 and bolt.p4, too, which have more of them.
@diagnostic("unused", "disable")
V1Switch(
    DatacentreParser(),
    DatacentreVerifyChecksum(),
    Dualpi2Ingress(),
    Dualpi2Egress(),
    DatacentreUpdateChecksum(),
    DatacentreDeparser()) main;
