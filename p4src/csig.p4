// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Congestion signalling (CSIG, draft-ravi-ippm-csig) for v1model: a tag between Ethernet and IP has one number about the whole
// path, which each switch replaces if its own is worse. The receiver returns it to the sender. docs/signals/csig.md says where
// this is from.
//
// A packet passes these files. Those in datacentre/ belong to bolt.p4 and hpcc.p4 too, those in common/ and v1model/ to
// quench.p4, and those with a star to csig_tna.p4:
//
//   csig/parsing.p4 *            VLAN and CSIG tags, in
//     datacentre/parser.p4, checksum.p4   headers and the IPv4 checksum
//   csig/ingress.p4              calls, in this order:
//     datacentre/router.p4         v1model/length.p4, common/routing.p4, v1model/next_hop.p4
//     csig/arrivals.p4 *, strip.p4 *   tags from ports that are not trusted are removed
//     datacentre/queue_bytes.p4    counts the bytes that wait, where the switch does not
//   the target's queues
//   csig/egress.p4               by the port's settings the tag is removed, left alone, or updated; it calls, in this order:
//     csig/load.p4                 the bytes that the port has sent in a window
//     csig/measure.p4              the port's own numbers
//     csig/update.p4               compare and replace, with buckets.p4 * for compact tags
//   datacentre/checksum.p4, deparser.p4
//
// With the extension of v1model that the embedded switch has, time is in nanoseconds and the queue as the switch knows it.
// Without it, as p4c compiles it for BMv2, time is in microseconds and the program counts the queue itself.

#include <core.p4>
#include <v1model.p4>
#ifdef __V1MODEL_EXTENDED__
#include <v1model_extended.p4>
#endif

#define HAS_CSIG

#include "csig/types.p4"
#include "csig/metadata.p4"
#include "csig/parsing.p4"
#define COUNT_TAG(bytes) meta.parsed.tag_bytes = meta.parsed.tag_bytes + (bit<32>) bytes;
#define TAG_STATES PARSE_TAGS(COUNT_TAG, IP_TYPES)
#include "datacentre/parser.p4"
#include "datacentre/checksum.p4"
#include "csig/ingress.p4"
#include "csig/egress.p4"
#include "datacentre/deparser.p4"

// Its types and numbers are those of quench.p4 and bolt.p4, too, which have more of them.
@diagnostic("unused", "disable")
V1Switch(
    DatacentreParser(),
    DatacentreVerifyChecksum(),
    CsigIngress(),
    CsigEgress(),
    DatacentreUpdateChecksum(),
    DatacentreDeparser()) main;
