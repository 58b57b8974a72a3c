// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// enqueued in ingress, where no packet has been in a queue.
// expect: 18:9: not supported: enqueued in ingress

#include "include/frame.p4"
#ifdef __V1MODEL_EXTENDED__
#include <v1model_extended.p4>
#endif

CONTROL {
    bit<64> ns;
    bit<32> pkts;
    bit<32> bytes;

    apply {
        enqueued(ns, pkts, bytes);
    }
}

MAIN
