// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Bolt's settings of a port, from the control plane. A port without an entry forwards packets, and no more.

#ifndef BOLT_SETTINGS_P4
#define BOLT_SETTINGS_P4

#include "../datacentre/packet.p4"

struct settings_t {
    bit<1>        active;
    bit<16>       rate_gbps;
    bolt_rate_t   rate;                 // the same as the header names it
    depth_bytes_t threshold_bytes;      // from here on packets are notified about
    bit<16>       mtu_bytes;
    bit<32>       cap_bytes;            // of supply tokens
    bit<1>        src;                  // source notifications; without them the receiver's ACK has their content
    bit<1>        src_at_departure;     // they leave when their packet does, and not when it comes
    bit<1>        pru;                  // ramp-up tokens
    bit<16>       most_pru_tokens;
    bit<1>        sm;                   // supply tokens
    bit<1>        data_only;            // supply tokens pay for data alone, and not for every packet
    depth_bytes_t limit_bytes;          // above it packets are dropped; 0: at the end of the target's buffer
}

control Settings(in port_t port, inout settings_t settings) {
    @id(0x01000060)
    action use_bolt(
            @id(1) bit<16> rate_gbps,
            @id(2) bolt_rate_t rate,
            @id(3) depth_bytes_t threshold_bytes,
            @id(4) bit<16> mtu_bytes,
            @id(5) bit<32> cap_bytes,
            @id(6) bit<1> src,
            @id(7) bit<1> src_at_departure,
            @id(8) bit<1> pru,
            @id(9) bit<16> most_pru_tokens,
            @id(10) bit<1> sm,
            @id(11) bit<1> data_only,
            @id(12) depth_bytes_t limit_bytes) {
        settings = { 1, rate_gbps, rate, threshold_bytes, mtu_bytes, cap_bytes, src, src_at_departure, pru,
            most_pru_tokens, sm, data_only, limit_bytes };
    }

    @id(0x02000060)
    table bolt {
        key = {
            port: exact @id(1) @name("port");
        }
        actions = {
            use_bolt;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = MAX_PORTS;
    }

    apply {
        bolt.apply();
    }
}

#endif
