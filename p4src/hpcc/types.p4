// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths and units of HPCC's telemetry (Li et al., SIGCOMM 2019).

#ifndef HPCC_TYPES_P4
#define HPCC_TYPES_P4

#include "../datacentre/types.p4"

typedef bit<3> rate_code_t;             // 0: none; 1..7: 25, 50, 100, 200, 400, 10, 40 Gb/s

struct record_t {
    rate_code_t rate;
    bit<24>     time_ns;
    bit<20>     sent;                   // units of 128 bytes at 25 Gb/s
    bit<17>     queue;                  // units of 80 bytes at 25 Gb/s
}

// The records of the routers passed, of which the first `hops` are written.
header telemetry_t {
    bit<16>  hops;
    record_t first;
    record_t second;
    record_t third;
    record_t fourth;
    record_t fifth;
}

const bit<16> MOST_RECORDS = 5;
const bit<16> TELEMETRY_BYTES = 42;
const bit<64> LONGEST_QUEUE = (1 << 17) - 1;

const bit<8> SENT_UNIT_SHIFT = 7;
// 2^38 / 80, rounded up.
const bit<64> QUEUE_UNIT_RECIPROCAL = 0xcccccccd;
const bit<8> QUEUE_UNIT_SHIFT = 38;

#endif
