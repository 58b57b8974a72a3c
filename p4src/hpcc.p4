// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// HPCC's switch (Li et al., SIGCOMM 2019) for v1model: in-band telemetry. Each router adds a record of its link to a data
// packet when that leaves; the receiver's ACK brings the records to the sender, which does the rest. docs/schemes/hpcc.md says
// where this is from.
//
// A packet passes these files. Those in datacentre/ belong to bolt.p4 too, those in common/ and v1model/ to quench.p4:
//
//   datacentre/parser.p4, checksum.p4   headers and the IPv4 checksum
//   hpcc/ingress.p4              the link's settings, which are rows of one table; it calls, in this order:
//     datacentre/router.p4         v1model/length.p4, common/routing.p4, v1model/next_hop.p4; the queue
//     datacentre/queue_bytes.p4    the limit above which packets are dropped
//   the target's queues: 1, with ACKs, before 0
//   hpcc/egress.p4               calls, in this order:
//     hpcc/record.p4               counts the bytes that leave
//     datacentre/queue_bytes.p4    the bytes that wait for the port
//     hpcc/record.p4               the record
//   datacentre/checksum.p4, deparser.p4
//
// With the extension of v1model that the embedded switch has, time is in nanoseconds and the queue as the switch knows it.
// Without it, as p4c compiles it for BMv2, time is in microseconds and the program counts the queue itself.

#include <core.p4>
#include <v1model.p4>
#ifdef __V1MODEL_EXTENDED__
#include <v1model_extended.p4>
#endif

#define OWN_PROTOCOL 8w254
#define OWN_HEADER telemetry
#define HAS_TELEMETRY

#include "hpcc/types.p4"
#include "hpcc/metadata.p4"
#include "datacentre/parser.p4"
#include "datacentre/checksum.p4"
#include "hpcc/ingress.p4"
#include "hpcc/egress.p4"
#include "datacentre/deparser.p4"

// Its types and numbers are those of quench.p4 and bolt.p4, too, which have more of them.
@diagnostic("unused", "disable")
V1Switch(
    DatacentreParser(),
    DatacentreVerifyChecksum(),
    HpccIngress(),
    HpccEgress(),
    DatacentreUpdateChecksum(),
    DatacentreDeparser()) main;
