// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The bandwidth and the part of the link that the port uses. Apart from v1model because no ALU multiplies or shifts by a
// variable: a filter of the hardware sums up the bytes of each packet, and lets the sum decay with a time constant T. A constant
// rate R gives the sum R * T. The control plane chooses T and the filter's scale, so that what the filter gives has the unit of
// a tag:
//
//   bandwidth    T = 2^scale * 15.625 ns        R * T * 64 / 2^scale = R / 8 Mb/s, R in bits per second, T of a byte's 8 bits
//   part         T = 2^(scale + 17) / (link's bits per second)         the link's rate gives 2^20

#ifndef CSIG_TNA_LOAD_P4
#define CSIG_TNA_LOAD_P4

#include "types.p4"

control Load(
        in port_t port,
        in bit<16> ip_bytes,
        in bit<16> overhead_bytes,
        out csig_number_t bandwidth,
        out csig_number_t part) {
    Lpf<csig_number_t, port_t>(MAX_PORTS) used_bandwidth;
    Lpf<csig_number_t, port_t>(MAX_PORTS) used_part;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) shift;

    bit<16> sent_bytes;
    bit<32> sample;

    action add() {
        sent_bytes = ip_bytes + overhead_bytes;
    }

    // The identity "hash" shifts: no ALU does that across containers.
    action scale() {
        sample = shift.get({ 10w0, sent_bytes, (bit<SAMPLE_SHIFT>) 0 });
    }

    action filter_bandwidth() {
        bandwidth = used_bandwidth.execute(sample, port);
    }

    action filter_part() {
        part = used_part.execute(sample, port);
    }

    apply {
        add();
        scale();
        filter_bandwidth();
        filter_part();
    }
}

#endif
