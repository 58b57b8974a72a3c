// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths on Tofino 1.

#ifndef _TOFINO1_P4_SPECS_
#define _TOFINO1_P4_SPECS_

#include <core.p4>

#define PORT_ID_WIDTH            9
#define MULTICAST_GROUP_ID_WIDTH 16
#define QUEUE_ID_WIDTH           5
#define MIRROR_TYPE_WIDTH        3
#define MIRROR_ID_WIDTH          10
#define RESUBMIT_TYPE_WIDTH      3
#define DIGEST_TYPE_WIDTH        3
#define REPLICATION_ID_WIDTH     16
#define L1_EXCLUSION_ID_WIDTH    16
#define L2_EXCLUSION_ID_WIDTH    9

typedef bit<PORT_ID_WIDTH>            PortId_t;         // 2 bits of pipe, 7 of port
typedef bit<MULTICAST_GROUP_ID_WIDTH> MulticastGroupId_t;
typedef bit<QUEUE_ID_WIDTH>           QueueId_t;
typedef bit<MIRROR_TYPE_WIDTH>        MirrorType_t;     // which Mirror of the deparser; 0: none
typedef bit<MIRROR_ID_WIDTH>          MirrorId_t;       // mirror session
typedef bit<RESUBMIT_TYPE_WIDTH>      ResubmitType_t;
typedef bit<DIGEST_TYPE_WIDTH>        DigestType_t;
typedef bit<REPLICATION_ID_WIDTH>     ReplicationId_t;
typedef bit<L1_EXCLUSION_ID_WIDTH>    L1ExclusionId_t;
typedef bit<L2_EXCLUSION_ID_WIDTH>    L2ExclusionId_t;

typedef error ParserError_t;

// Bits of port metadata (phase 0) that stand before every packet in the ingress parser.
const bit<32> PORT_METADATA_SIZE = 32w64;

#define DEVPORT_PIPE_MASK  0x180
#define DEVPORT_PIPE(port) (port)[8:7]
#define DEVPORT_PORT_MASK  0x7f
#define DEVPORT_PORT(port) (port)[6:0]

#endif
