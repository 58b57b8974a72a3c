// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{errors, program};
use crate::ir::{Type, Value};

const ARCHITECTURE: &str = "
    #include <core.p4>
    extern counter { counter(bit<32> size); void count(in bit<32> i); }
    control Pipe(inout bit<32> x); package Top(Pipe a, Pipe b);
";

#[test]
fn main_is_needed_and_a_package() {
    let found = errors("const bit<8> x = 1;");
    assert!(found[0].2.contains("no `main`"), "{found:?}");
    assert_eq!((found[0].0, found[0].1), (19, 19), "the end of the program");
    let found = errors("extern X { X(); } X() main;");
    assert!(found[0].2.contains("an instance of a package"), "{found:?}");
    let found = errors("control c() { apply { } } c() main;");
    assert!(
        found[0].2.contains("cannot be declared at the top level"),
        "{found:?}"
    );
}

#[test]
fn control_plane_names_are_hierarchical() {
    let program = program(&format!(
        "{ARCHITECTURE}
        control Leaf(inout bit<32> x) {{
            counter(4) hits;
            @name(\"renamed\") action set() {{ x = 1; }}
            @name(\".top\") action top() {{ x = 2; }}
            table t {{ key = {{ x: exact; }} actions = {{ set; top; }} }}
            apply {{ t.apply(); }}
        }}
        control First(inout bit<32> x) {{ Leaf() one; apply {{ one.apply(x); }} }}
        @name(\"Other\") control Second(inout bit<32> x) {{ @name(\"uno\") Leaf() one; apply {{ one.apply(x); }} }}
        Top(First(), Second()) main;"
    ));
    let tables: Vec<_> = program
        .tables
        .iter()
        .map(|table| table.name.as_str())
        .collect();
    assert_eq!(tables, ["First.one.t", "Second.uno.t"]);
    let actions: Vec<_> = program
        .actions
        .iter()
        .map(|action| action.name.as_str())
        .collect();
    assert_eq!(
        actions,
        [
            "First.one.renamed",
            "top",
            "NoAction",
            "Second.uno.renamed",
            "top",
            "NoAction"
        ]
    );
    let externs: Vec<_> = program
        .externs
        .iter()
        .map(|instance| instance.name.as_str())
        .collect();
    assert_eq!(externs, ["First.one.hits", "Second.uno.hits"]);
}

#[test]
fn an_extern_of_the_top_level_is_shared() {
    let program = program(&format!(
        "{ARCHITECTURE}
        counter(64) shared;
        control P(inout bit<32> x) {{ apply {{ shared.count(x); }} }}
        control Q(inout bit<32> x) {{ apply {{ shared.count(1); }} }}
        Top(a = P(), b = Q()) main;"
    ));
    assert_eq!(program.externs.len(), 1);
    assert_eq!(
        program.externs[0].args,
        [("size".to_string(), Value::Int(64.into()))]
    );
    let main = program.main.unwrap();
    assert_eq!(main.type_name, "Top");
    assert!(matches!(
        main.args[..],
        [(_, Value::Control(_)), (_, Value::Control(_))]
    ));
}

#[test]
fn two_tables_of_one_name_are_refused() {
    let found = errors(&format!(
        "{ARCHITECTURE}
        control P(inout bit<32> x) {{
            action a() {{ }}
            @name(\"same\") table s {{ actions = {{ a; }} }}
            @name(\"same\") table t {{ actions = {{ a; }} }}
            apply {{ s.apply(); t.apply(); }}
        }}
        control Q(inout bit<32> x) {{ apply {{ }} }}
        Top(P(), Q()) main;"
    ));
    assert!(
        found[0]
            .2
            .contains("two tables have the control-plane name `P.same`"),
        "{found:?}"
    );
}

#[test]
fn packages_in_packages_and_optional_arguments() {
    let program = program(
        "control Pipe<H>(inout H h); package Half<H>(Pipe<H> p);
         package Whole<A, B>(Half<A> a, @optional Half<B> b);
         control c(inout bit<8> h) { apply { } }
         Half(c()) half;
         Whole(half) main;",
    );
    let main = program.main.unwrap();
    assert_eq!(main.type_args, [Type::Bit(8), Type::Unknown]);
    assert!(matches!(main.args[..], [(ref name, Value::Package(_))] if name == "a"));
}

#[test]
fn annotations_of_main_are_kept() {
    let program = program(
        "control R(); package Top(R r); control c() { apply { } } @pkginfo(name = \"x\") Top(c()) main;",
    );
    assert_eq!(program.main_annotations.len(), 1);
}

#[test]
fn a_finished_program_has_no_open_types() {
    let program = program(
        "#include <core.p4>
        #include <v1model.p4>
        header H { bit<8> a; } struct Hs { H h; } struct M { bit<16> d; }
        parser P(packet_in p, out Hs h, inout M m, inout standard_metadata_t s) {
            state start { p.extract(h.h); m.d = p.lookahead<bit<16>>(); transition accept; } }
        control V(inout Hs h, inout M m) { apply { } }
        control I(inout Hs h, inout M m, inout standard_metadata_t s) {
            register<bit<16>>(8) r;
            apply { r.read(m.d, 0); random(m.d, 0, 9); hash(m.d, HashAlgorithm.crc16, 16w0, {h.h.a, m.d}, 16w9); } }
        control E(inout Hs h, inout M m, inout standard_metadata_t s) { apply { } }
        control D(packet_out p, in Hs h) { apply { p.emit(h); } }
        V1Switch(P(), V(), I(), E(), V(), D()) main;",
    );
    let reachable = format!(
        "{:?} {:?} {:?} {:?}",
        program.parsers, program.controls, program.vars, program.main
    );
    assert!(!reachable.contains("Variable("));
}
