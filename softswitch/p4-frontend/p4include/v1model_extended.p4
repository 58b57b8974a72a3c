// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Functions that the embedded switch has beyond v1model: time in nanoseconds, and queues by bytes. BMv2 lacks them, and
// refuses the JSON of a program that calls one. Include the file behind v1model.p4, where the macro
// __V1MODEL_EXTENDED__ is defined; softswitch/docs/v1model-extended.md explains it.
//
// A queue's depth is what waits in it: neither the packet that asks nor one that the port is sending. Bytes are those
// that the port counts. Numbers that do not fit are 2^32 - 1.

#ifndef _V1MODEL_EXTENDED_P4_
#define _V1MODEL_EXTENDED_P4_

// The time of the block. Parser and ingress: the packet arrives. Egress: it leaves its queue.
extern void time_ns(out bit<64> ns);

// Egress: when the packet entered its queue, and what waited there then, without it.
extern void enqueued(out bit<64> ns, out bit<32> pkts, out bit<32> bytes);

// Ingress and egress: what waits in a queue now. 0 where the port or the queue does not exist.
extern void queue_depth(in bit<9> port, in bit<3> queue, out bit<32> pkts, out bit<32> bytes);

#endif
