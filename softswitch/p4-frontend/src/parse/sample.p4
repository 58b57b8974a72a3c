// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#define WIDTH 16
error { Odd, Even }
match_kind { fuzzy, sorted, }
typedef bit<WIDTH> word_t;
@p4runtime_translation("", string) type word_t Name_t;
enum bit<8> Proto { Tcp = 6, Udp = 17 }
enum Colour { Red, Green }
header H { word_t a; varbit<64> options; }
header_union U { H one; H two; }
struct Pair<A, B> { A first; @x("y") B second; }
struct M { H[4] stack; U u; Pair<bit<8>, Name_t> pair; }
extern Box<T> {
    Box(bit<32> size);
    abstract T next(in T last);
    void put<U>(in U value, out T result);
}
extern R choose<R>(in bool which, in R a, in R b);
bit<8> largest(in bit<8> a, in bit<8> b) { return a > b ? a : b; }
action nothing() {}
parser Reader<P>(in P packet, out M m)(bit<8> limit) {
    value_set<Pair<bit<8>, bit<8>>>(8) known;
    const bit<8> start_value = 8w0x1F;
    bit<8> left = start_value;
    @name("begin") state start {
        left = left - 1;
        if (left == 0) { m.u.one.setValid(); }
        transition select(left, m.pair.first) {
            (0, _): accept;
            (1 .. 5, 2 &&& 6): more;
            known: more;
            default: reject;
        }
    }
    state more { m.stack.push_front(1); transition start; }
}
@pipeline control Work(inout M m, in error problem) {
    Box<bit<8>>(16) box = { bit<8> next(in bit<8> last) { return last + 1; } };
    tuple<bit<8>, bool> both = { 1, true };
    action set(in bit<8> from, @optional bit<8> to) { m.pair.first = from ^ to; nothing(); }
    table t {
        key = { m.pair.first : exact @name("first"); m.stack[0].isValid() : fuzzy; m.stack[1].a[7:0] : sorted; }
        actions = { @tableonly set(m.pair.first); @defaultonly nothing; }
        const default_action = nothing;
        entries = {
            const priority = 10: (1, true, 2 .. 3) : set(4) @note("e");
            (_, default, 0 &&& 1) : nothing();
        }
        size = 64;
    }
    apply @noWarn("unused") {
        if (!t.apply().hit && problem != error.NoError) { return; } else exit;
        switch (t.apply().action_run) { set: nothing: { m = {...}; } default: { m.u = {#}; } }
        @unroll for (bit<8> i in 1 .. 4) { if (i == 2) continue; box.put<bit<4>>((bit<4>) i, m.pair.first); }
        for (bit<8> i = 0, bit<8> j = 9; i < j; i += 1) { break; }
        m.pair = (Pair<bit<8>, Name_t>) { first = largest(1, 2), ... };
        m.stack[0].a[3 +: 4] = -4s0b0111 |+| 4w1 ++ (m.stack.last.a << 2 >> 1) % 3;
        choose<bool>(which = true, a = _, b = Colour.Red == Colour.Green);
        m.pair.first |-|= 1; m.pair.first <<= 2;
    }
}
control Filter(inout M m, in error problem);
package Box2<P>(Reader<P> r, @optional Filter f);
@pkginfo(version = "1") @pragma old style 1
Box2<bit<8>>(Reader<bit<8>>(3), Work()) main;
