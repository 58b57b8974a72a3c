// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The bandwidth and the part of the link that the port uses. Apart from v1model because no ALU multiplies, or shifts by a
// variable: filters of the hardware add up what is sent, and let the sum decay with a time constant T. A constant rate of R bits
// per second makes the sum 8 R T, because a sample is in 64ths of a byte. What a filter gives is shifted down by its scale. The
// control plane chooses T so that it has the unit of a tag:
//
//   used_bandwidth    T = 2^scale * 15.625 ns                            R gives R / 8 Mb/s
//   used_part         T = 2^(scale + 17) / (link's bits per second)      the link's rate gives 2^20

#ifndef CSIG_TNA_LOAD_P4
#define CSIG_TNA_LOAD_P4

#include "types.p4"

// `packet_bytes`: IP and tags.
control Load(
        in port_t port,
        in bit<16> packet_bytes,
        in bit<16> overhead_bytes,
        out csig_number_t bandwidth,
        out csig_number_t part) {
    Lpf<csig_number_t, port_t>(MAX_PORTS) used_bandwidth;
    Lpf<csig_number_t, port_t>(MAX_PORTS) used_part;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) shift;

    bit<16> sent_bytes;
    bit<32> sample;

    action add() {
        sent_bytes = packet_bytes + overhead_bytes;
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
