// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
//
// The means of programs for hardware behind P4Runtime: types that controllers write as strings, constraints on
// entries, packet headers of such types, and digests with an error and an enum. Packets come from the CPU port and go
// back there, so that tests need no interfaces.

#include <core.p4>
#include <v1model.p4>

#define CPU_PORT 510

enum Kind { known, unknown }

@p4runtime_translation("", string)
type bit<9> port_id_t;

@p4runtime_translation("", string)
@p4runtime_translation_mappings({ {"", 0}, })
type bit<10> vrf_id_t;

const vrf_id_t DEFAULT_VRF = 0;

@controller_header("packet_in")
header packet_in_t {
    @id(1) port_id_t ingress_port;
    @id(2) port_id_t target_egress_port;
    @id(3) @padding bit<6> unused;
}

@controller_header("packet_out")
header packet_out_t {
    @id(1) port_id_t egress_port;
    @id(2) bit<1> submit_to_ingress;
    @id(3) @padding bit<6> unused;
}

header route_t {
    bit<8>  site;
    bit<32> destination;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    route_t      route;
}

struct metadata_t {
    vrf_id_t vrf;
    Kind kind;
}

struct seen_t {
    bit<32> destination;
    error   problem;
    Kind    kind;
}

parser TranslatedParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        meta.vrf = DEFAULT_VRF;
        meta.kind = Kind.unknown;
        transition select(std.ingress_port) {
            CPU_PORT: from_cpu;
            default: route;
        }
    }
    state from_cpu {
        packet.extract(hdr.packet_out);
        transition route;
    }
    state route {
        packet.extract(hdr.route);
        transition accept;
    }
}

control TranslatedVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control TranslatedIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action set_vrf(@refers_to(routes, vrf) vrf_id_t vrf) {
        meta.vrf = vrf;
        meta.kind = Kind.known;
    }

    @action_restriction("port != 'none'")
    action send(port_id_t port) {
        std.egress_spec = (bit<9>)port;
    }

    @p4runtime_role("sdn_controller")
    @entry_restriction("site::mask != 0 -> in_port::mask == 0;")
    table vrfs {
        key = {
            hdr.route.site: ternary @name("site");
            (port_id_t)std.ingress_port: optional @name("in_port");
        }
        actions = { set_vrf; @defaultonly NoAction; }
        const default_action = NoAction;
    }

    @p4runtime_role("sdn_controller")
    @entry_restriction("vrf != ''")
    table routes {
        key = {
            meta.vrf: exact @name("vrf") @refers_to(vrfs, vrf);
            hdr.route.destination: lpm @format(IPV4_ADDRESS) @name("destination");
        }
        actions = { send; @defaultonly NoAction; }
        const default_action = NoAction;
    }

    apply {
        mark_to_drop(std);
        digest<seen_t>(1, { hdr.route.destination, std.parser_error, meta.kind });
        if (hdr.packet_out.isValid() && hdr.packet_out.submit_to_ingress == 0) {
            std.egress_spec = (bit<9>)hdr.packet_out.egress_port;
        } else {
            vrfs.apply();
            routes.apply();
        }
    }
}

control TranslatedEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.packet_out.setInvalid();
        if (std.egress_port == CPU_PORT) {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = (port_id_t)std.ingress_port;
            hdr.packet_in.target_egress_port = (port_id_t)std.egress_port;
            hdr.packet_in.unused = 0;
        }
    }
}

control TranslatedCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control TranslatedDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.route);
    }
}

V1Switch(TranslatedParser(), TranslatedVerify(), TranslatedIngress(), TranslatedEgress(), TranslatedCompute(),
         TranslatedDeparser()) main;
