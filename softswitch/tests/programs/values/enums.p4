// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Enums with and without values, new types, typedefs, and casts between them.

#include <v1model.p4>

enum bit<8> Kind {
    Data = 1,
    Ack = 2,
    Probe = 1 << 7
}

enum Verdict {
    Keep,
    Mark,
    Refuse
}

typedef bit<16> Length;
type Length Credit;
type bit<9> Port;

const Credit FULL = (Credit) 1000;

header h_t {
    Kind kind;
    bit<8> verdict;
    Credit credit;
    bit<8> flags;
}

#include "../include/one_header.p4"

Verdict judge(in Kind kind, in Credit credit) {
    if (kind == Kind.Probe) {
        return Verdict.Keep;
    } else if (kind == Kind.Data && (bit<16>) credit < 10) {
        return Verdict.Refuse;
    }
    return Verdict.Mark;
}

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Port port = (Port) 1;

    action take(Credit credit) {
        hdr.h.credit = credit;
    }
    table credits {
        key = {
            hdr.h.kind: exact;
            hdr.h.credit: exact;
        }
        actions = { take; NoAction; }
        const entries = {
            (Kind.Ack, FULL): take((Credit) 999);
        }
        const default_action = NoAction();
    }

    apply {
        std.egress_spec = (bit<9>) port;
        Verdict verdict = judge(hdr.h.kind, hdr.h.credit);
        hdr.h.flags = 0;
        if (credits.apply().miss && verdict != Verdict.Keep) {
            hdr.h.credit = (Credit) ((Length) hdr.h.credit + 1);
        }
        switch (verdict) {
            Verdict.Keep: { hdr.h.verdict = 0x10; }
            Verdict.Mark: { hdr.h.verdict = 0x20; }
            default: { hdr.h.verdict = 0x30; }
        }
        switch (hdr.h.kind) {
            Kind.Data:
            Kind.Ack: { hdr.h.flags = 1; }
            Kind.Probe: { hdr.h.kind = Kind.Ack; }
            default: { hdr.h.kind = (Kind) ((bit<8>) hdr.h.kind + 1); } // any value is allowed
        }
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
