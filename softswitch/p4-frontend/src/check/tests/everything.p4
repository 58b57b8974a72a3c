// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
#include <core.p4>
#include <v1model.p4>

typedef bit<48> Mac;
type bit<9> Port;
const bit<16> TYPE_IPV4 = 0x800;
const int PORTS = 1 << 4;
const tuple<bit<8>, bool> PAIR = { 3, true };
enum Colour { red, green }
enum bit<8> Proto { tcp = 6, udp = 17 }
error { Odd }

header Ethernet { Mac dst; Mac src; bit<16> kind; }
header Option { bit<8> length; varbit<320> data; }
header Word { bit<32> w; }
header_union Either { Word word; Ethernet ethernet; }
struct Pair<T> { T first; bit<8> second; }
struct Headers { Ethernet ethernet; Option option; Word[3] words; Either either; }
struct Meta { bit<8> mark; Proto proto; Pair<bit<16>> pair; int<8> offset; bool flag; error problem; }

register<bit<32>>(PORTS) averages;

extern Store<T> {
    Store(bit<32> size);
    T get<I>(in I index, @optional in bool check);
    abstract T init(in bit<8> n);
}

T largest<T>(in T a, in T b) { return a; }
bit<8> twice(in bit<8> x, in bit<8> times = 2) {
    if (x > 4) { return x * times; }
    return x |+| 1;
}

action global_drop(inout standard_metadata_t sm) { mark_to_drop(sm); }

parser Inner(packet_in packet, out Word word)(bit<8> skip) {
    state start { packet.advance((bit<32>)skip); packet.extract(word); transition accept; }
}

parser Parse(packet_in packet, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    value_set<bit<16>>(4) kinds;
    Inner(8) inner;
    bit<8> count = 0;
    state start {
        packet.extract(h.ethernet);
        transition select(h.ethernet.kind, m.mark) {
            (TYPE_IPV4, _): option;
            (0x100 &&& 0xff00, 1 .. 5): words;
            (kinds, 7): accept;
            default: reject;
        }
    }
    state option {
        packet.extract(h.option, (bit<32>)packet.lookahead<bit<8>>() << 3);
        verify(h.option.length != 0, error.Odd);
        transition words;
    }
    state words {
        count = count + 1;
        packet.extract(h.words.next);
        transition select(h.words.last.w[0:0], h.words.lastIndex) {
            (1, 0 .. 1): words;
            _: more;
        }
    }
    state more { inner.apply(packet, h.words[0]); }
}

control Check(inout Headers h, inout Meta m) {
    apply { verify_checksum(h.ethernet.isValid(), { h.ethernet.src, 16w7 }, h.ethernet.kind, HashAlgorithm.csum16); }
}

control Counted(inout bit<8> value)(bit<32> size, bit<8> step) {
    counter(size, CounterType.packets_and_bytes) hits;
    @name("bump") action increase(bit<8> by) { value = value + by + step; hits.count(0); }
    table steps {
        key = { value: exact; value[3:0]: ternary @name("low"); }
        actions = { increase; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = { (1, 2 &&& 3): increase(4); (2, _): increase(5); }
        size = 64;
    }
    apply { if (!steps.apply().hit) { value = 0; } }
}

control Into(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    Counted(32, 1) first;
    Counted(step = 2, size = 64) second;
    direct_meter<bit<2>>(MeterType.bytes) rate;
    action_profile(16) members;
    bit<32> average;
    action drop() { global_drop(sm); }
    action send(in bit<8> mark, Port port) { sm.egress_spec = (bit<9>)port; m.mark = mark; rate.read(m.mark[1:0]); }
    table route {
        key = { h.ethernet.dst: lpm; m.proto: exact; sm.ingress_port: range; h.words[0].isValid(): exact; }
        actions = { drop; send(m.mark); }
        default_action = drop;
        implementation = members;
        meters = rate;
    }
    table plain { actions = { drop; global_drop(sm); } }
    apply {
        averages.read(average, (bit<32>)sm.ingress_port);
        averages.write(0, average |-| 3);
        first.apply(m.mark);
        second.apply(m.mark);
        switch (route.apply().action_run) { drop: { exit; } send: default: { m.flag = true; } }
        switch (m.proto) { Proto.tcp: Proto.udp: { m.mark = twice(m.mark); } default: { return; } }
        for (bit<8> i in 1 .. 4) { if (i == 3) { continue; } m.mark += i; }
        for (Word w in h.words) { average = average ^ w.w; }
        for (bit<8> i = 0; i < 2; i = i + 1) { break; }
        m.pair = { first = 4, ... };
        m.pair = { 1, 2 };
        h.words[1] = (Word){#};
        h.words.push_front(1);
        h.either.word = { 5 };
        m.offset = (int<8>)(m.flag ? m.mark : 8w3) >> 1;
        m.flag = h.ethernet == { 1, 2, 3 } || m.problem == error.NoError && !m.flag;
        h.ethernet.dst = h.ethernet.src[47:8] ++ m.mark;
        h.ethernet.kind[7:0] = largest(m.mark, 2) % 16;
        random(m.mark, 0, 7);
        hash(m.pair.first, HashAlgorithm.crc16, 16w0, { h.ethernet.src, m.mark }, 16w100);
        digest(1, { m.mark, h.ethernet.dst });
        clone_preserving_field_list(CloneType.I2E, 5, 1);
        Check.apply(h, m);
        static_assert(PORTS == 16, "sixteen");
        const bit<8> local = PAIR[0] + 8w1;
        m.mark = local;
        if (plain.apply().miss) { h.option.setInvalid(); }
    }
}

control Out(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    Store<bit<8>>(4) store = { bit<8> init(in bit<8> n) { return n + 1; } };
    apply { m.mark = store.get(8w3); m.mark = store.get<bit<4>>(1, true); }
}

control Update(inout Headers h, inout Meta m) { apply { } }

control Emit(packet_out packet, in Headers h) {
    apply { packet.emit(h.ethernet); packet.emit(h); }
}

V1Switch(Parse(), Check(), Into(), Out(), Update(), Emit()) main;
