// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The bytes that a port has sent in a window of time: a moving average with weight 1/2 over windows of 2^window_shift ns, which
// sees half of a change after two of them. It halves in each that was idle. After a change of window_shift it begins anew.

#ifndef CSIG_LOAD_P4
#define CSIG_LOAD_P4

#include "types.p4"

// The number of the window in which the port sent last, the bytes in it, and the average over those before.
@name(".window_number")
register<bit<64>>(MAX_PORTS) window_number;
@name(".window_bytes")
register<bit<64>>(MAX_PORTS) window_bytes;
@name(".average_bytes")
register<bit<64>>(MAX_PORTS) average_bytes;

control Load(in port_t port, in bit<32> sent_bytes, in time_ns_t now_ns, in bit<8> window_shift, out bit<64> average) {
    action count() {
        @atomic {
            bit<64> number;
            bit<64> bytes;
            window_number.read(number, (bit<32>) port);
            window_bytes.read(bytes, (bit<32>) port);
            average_bytes.read(average, (bit<32>) port);
            bit<64> ended = (now_ns >> window_shift) - number;
            bit<64> idle = ended |-| 1;
            average = ended == 0 ? average : (average + bytes >> 1) >> (bit<8>) (idle > 63 ? 63 : idle);
            bytes = (ended == 0 ? bytes : 0) + (bit<64>) sent_bytes;
            window_number.write((bit<32>) port, now_ns >> window_shift);
            window_bytes.write((bit<32>) port, bytes);
            average_bytes.write((bit<32>) port, average);
        }
    }

    apply {
        count();
    }
}

#endif
