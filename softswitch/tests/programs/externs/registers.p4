// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Registers: read, modified and written across packets, of several widths, set by the test, within one action.

#include <v1model.p4>

header h_t {
    bit<8> index;
    bit<8> add;
    bit<16> sum;
    bit<8> lowest;
    bit<16> from_test;
    bit<8> last_port;
}

#include "../include/one_header.p4"

control Remember(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<16>>(8) sums;
    register<bit<8>>(1) lowest;
    register<bit<48>>(4) written_by_test;
    @name("last_port")
    register<bit<9>>(1) last;

    action accumulate() {
        bit<16> sum;
        sums.read(sum, (bit<32>) hdr.h.index);
        sum = sum + (bit<16>) hdr.h.add;
        sums.write((bit<32>) hdr.h.index, sum);
        hdr.h.sum = sum;
    }

    apply {
        std.egress_spec = 1;
        @atomic {
            accumulate();
        }

        bit<8> low;
        lowest.read(low, 0);
        if ((int<8>) hdr.h.add < (int<8>) low) {
            low = hdr.h.add;
            lowest.write(0, low);
        }
        hdr.h.lowest = low;

        bit<48> value;
        written_by_test.read(value, 3);
        hdr.h.from_test = value[47:32];

        bit<9> port;
        last.read(port, 0);
        hdr.h.last_port = (bit<8>) port;
        last.write(0, std.ingress_port);
    }
}

V1Switch(ParseH(), NoVerify(), Remember(), NoEgress(), NoCompute(), EmitAll()) main;
