// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Tokens of a port: what a packet needs to keep its sender's permission to grow (INC).
//
// Supply tokens are bits that the link could have sent and nobody has asked for. They are whole numbers, for a link sends
// rate_gbps bits in a nanosecond. Below 0 they are about what waits. A ramp-up token is a packet that a flow will not send
// when its last window is acknowledged.

#ifndef BOLT_TOKENS_P4
#define BOLT_TOKENS_P4

#include "settings.p4"

typedef int<32> supply_bits_t;
typedef int<64> supply_sum_t;

// Nothing is below this: 268 MB of debt.
const supply_sum_t LEAST_SUPPLY_BITS = -(1 << 31);
// In this time a link of 1 Gb/s fills every cap from there on.
const time_ns_t LONGEST_SUPPLY_NS = (1 << 32) - 1;
#define BYTES_TO_BITS_SHIFT 3

@name(".supply_bits")
register<supply_bits_t>(MAX_PORTS) supply_bits;

@name(".supply_updated_ns")
register<time_ns_t>(MAX_PORTS) supply_updated_ns;

@name(".ramp_up_tokens")
register<bit<16>>(MAX_PORTS) ramp_up_tokens;

// The bits that the link could send since the last packet are added, and those of this one are taken. Only ingress has this state.
control RefillSupply(in port_t port, in settings_t settings, in time_ns_t now_ns, in bit<32> ip_bytes) {
    time_ns_t passed_ns;
    supply_bits_t before;
    supply_sum_t after;

    action refill() {
        @atomic {
            supply_updated_ns.read(passed_ns, (bit<32>) port);
            supply_bits.read(before, (bit<32>) port);
            passed_ns = now_ns - passed_ns;
            passed_ns = passed_ns > LONGEST_SUPPLY_NS ? LONGEST_SUPPLY_NS : passed_ns;
            after = (supply_sum_t) before
                + (supply_sum_t) (passed_ns * (bit<64>) settings.rate_gbps)
                - (supply_sum_t) ((bit<64>) ip_bytes << BYTES_TO_BITS_SHIFT);
            supply_sum_t cap = (supply_sum_t) ((bit<64>) settings.cap_bytes << BYTES_TO_BITS_SHIFT);
            after = after > cap ? cap : after;
            after = after < LEAST_SUPPLY_BITS ? LEAST_SUPPLY_BITS : after;
            supply_bits.write((bit<32>) port, (supply_bits_t) after);
            supply_updated_ns.write((bit<32>) port, now_ns);
        }
    }

    apply {
        refill();
    }
}

// Pays for one packet of the largest size, if there are tokens for it.
control TakeSupply(in port_t port, in settings_t settings, out bit<1> taken) {
    supply_bits_t supply;
    supply_bits_t price;

    action take() {
        @atomic {
            supply_bits.read(supply, (bit<32>) port);
            price = (supply_bits_t) ((bit<32>) settings.mtu_bytes << BYTES_TO_BITS_SHIFT);
            taken = supply >= price ? 1w1 : 1w0;
            supply_bits.write((bit<32>) port, taken == 1 ? supply - price : supply);
        }
    }

    apply {
        take();
    }
}

control AddRampUp(in port_t port, in settings_t settings) {
    bit<16> tokens;

    action add() {
        @atomic {
            ramp_up_tokens.read(tokens, (bit<32>) port);
            tokens = tokens < settings.most_pru_tokens ? tokens + 1 : settings.most_pru_tokens;
            ramp_up_tokens.write((bit<32>) port, tokens);
        }
    }

    apply {
        add();
    }
}

control TakeRampUp(in port_t port, out bit<1> taken) {
    bit<16> tokens;

    action take() {
        @atomic {
            ramp_up_tokens.read(tokens, (bit<32>) port);
            taken = tokens > 0 ? 1w1 : 1w0;
            ramp_up_tokens.write((bit<32>) port, tokens |-| 1);
        }
    }

    apply {
        take();
    }
}

#endif
