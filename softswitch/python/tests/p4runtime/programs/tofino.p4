// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// One of each object of Tofino that P4Runtime has an entity for. A packet goes to the CPU with what each
// made of it, or into a digest.

#include <core.p4>
#include <tna.p4>
#include "../../../../tests/tna/include/bare_egress.p4"

const bit<8> LEARN = 255;

header work_t {
    bit<8> kind;
    bit<8> index;
    bit<32> value;
}

header result_t {
    bit<32> total;      // of the register's cell
    bit<32> average;    // of the entry's filter
    bit<8> dropped;     // 1 where the entry's random drop does
    bit<8> member;      // parameter of the profile's member
    bit<8> way;         // parameter of the selector's member
    bit<8> marked;      // 1 where the value set has the kind
}

struct headers_t {
    work_t work;
    result_t result;
}

struct metadata_t {
    bit<8> marked;
    PortId_t port;
    bit<32> rate;
}

struct pair_t {
    bit<16> last;
    bit<16> count;
}

struct seen_t {
    bit<8> index;
    PortId_t port;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    value_set<bit<8>>(4) kinds;

    state start {
        md = {0, 0, 0};
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.work);
        transition select(hdr.work.kind) {
            kinds: marked;
            default: accept;
        }
    }
    state marked {
        md.marked = 1;
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    RegisterParam<bit<32>>(100) step;
    Register<bit<32>, bit<8>>(256, 5) totals;
    RegisterAction<bit<32>, bit<8>, bit<32>>(totals) add = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = value + step.read();
            rv = value;
        }
    };
    Register<pair_t, bit<8>>(256, {1, 0}) pairs;
    RegisterAction<pair_t, bit<8>, bit<16>>(pairs) note = {
        void apply(inout pair_t pair) {
            pair.last = hdr.work.value[15:0];
            pair.count = pair.count + 1;
        }
    };
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) port_seen;
    Lpf<bit<32>, bit<8>>(256) rates;
    DirectLpf<bit<32>>() average;
    DirectWred<bit<32>>(1, 0) early;
    ActionProfile(16) plain;
    Hash<bit<14>>(HashAlgorithm_t.CRC16) flow;
    ActionProfile(16) ways;
    ActionSelector(ways, flow, SelectorMode_t.FAIR, 8, 4) groups;

    action smooth() {
        hdr.result.average = average.execute(hdr.work.value);
    }
    table smoothed {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            smooth;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        filters = average;
        size = 16;
    }
    action drop_early() {
        hdr.result.dropped = early.execute(hdr.work.value);
    }
    table limited {
        key = {
            hdr.work.index: ternary;
        }
        actions = {
            drop_early;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        filters = early;
        size = 16;
    }
    action take(bit<8> member) {
        hdr.result.member = member;
    }
    table taken {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            take;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        implementation = plain;
        size = 16;
    }
    action choose(bit<8> way) {
        hdr.result.way = way;
    }
    table chosen {
        key = {
            hdr.work.index: exact;
            hdr.work.value: selector;
        }
        actions = {
            choose;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        implementation = groups;
        size = 16;
    }
    action learn() {
        ig_dprsr_md.digest_type = 1;
    }
    action known() {}
    table sources {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            learn;
            known;
        }
        const default_action = learn();
        idle_timeout = true;
        size = 16;
    }
    apply {
        hdr.result = {0, 0, 0, 0, 0, md.marked};
        md.port = ig_intr_md.ingress_port;
        hdr.result.total = add.execute(hdr.work.index);
        note.execute(hdr.work.index);
        port_seen.count(ig_intr_md.ingress_port);
        md.rate = rates.execute(hdr.work.value, hdr.work.index);
        smoothed.apply();
        limited.apply();
        taken.apply();
        chosen.apply();
        if (hdr.work.kind == LEARN) {
            sources.apply();
        } else {
            ig_tm_md.copy_to_cpu = 1;
        }
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Digest<seen_t>(1) seen;

    apply {
        seen.pack({hdr.work.index, md.port});
        pkt.emit(hdr.result);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
