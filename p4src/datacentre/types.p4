// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths and numbers of the small programs, bolt.p4, hpcc.p4, csig.p4 and dualpi2.p4.

#ifndef QUENCH_DATACENTRE_TYPES_P4
#define QUENCH_DATACENTRE_TYPES_P4

#include "../v1model/types.p4"

typedef bit<32> depth_bytes_t;          // what waits for a port
typedef bit<64> time_ns_t;

// Queues of a port. The embedded switch and BMv2 serve the larger number first.
const queue_t DATA_QUEUE = 0;
const queue_t FEEDBACK_QUEUE = 1;

// standard_metadata.instance_type of simple_switch.
const bit<32> INSTANCE_INGRESS_CLONE = 1;
const bit<32> INSTANCE_EGRESS_CLONE = 2;

const bit<16> SIGNAL_BYTES = 13;        // of header signal_t

#endif
