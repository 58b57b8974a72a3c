// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The ports of the domain, in both programs: tags from elsewhere may say anything.

#ifndef CSIG_ARRIVALS_P4
#define CSIG_ARRIVALS_P4

#include "../common/types.p4"

control Arrivals(in port_t port, out bit<1> trusted) {
    @id(0x01000062)
    action trust_csig() {}

    @id(0x02000062)
    table csig_arrivals {
        key = {
            port: exact @id(1) @name("port");
        }
        actions = {
            trust_csig;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = MAX_PORTS;
    }

    apply {
        trusted = 0;
        if (csig_arrivals.apply().hit) {
            trusted = 1;
        }
    }
}

#endif
