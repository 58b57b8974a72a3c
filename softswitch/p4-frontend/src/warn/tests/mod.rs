// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs with the place of each warning marked.

mod annotations;
mod calls;
mod declarations;
mod headers;
mod large;
mod tables;
mod values;

use std::path::Path;

use crate::{load_text, Level, Loaded, Options};

const BEFORE: &str = "#include <core.p4>
header H { bit<8> f; bit<16> g; }
header_union U { H a; H b; }
struct S { bit<8> a; bit<16> b; }
struct Headers { H one; H two; H[3] stack; U either; }
parser Parser_(packet_in p, out Headers h, out S s);
control Control_(inout Headers h, inout S s);
package Package_(Parser_ p, Control_ c);
extern void sink<T>(in T x);
extern void source<T>(out T x);
";
const PARSER: &str = "
parser parser_(packet_in p, out Headers h, out S s) {
    state start { s = { 1, 2 }; p.extract(h.one); transition accept; }
}
";
const CONTROL: &str = "control control_(inout Headers h, inout S s) { apply { } }\n";
const MAIN: &str = "Package_(parser_(), control_()) main;\n";

#[track_caller]
fn load(text: &str, options: &Options) -> Loaded {
    match load_text(Path::new("test.p4"), text, options) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("refused:\n{failure}"),
    }
}

/// Checks that a program has warnings at the marked places and nowhere else: `«KIND|text»`, or `«KIND,KIND|text»`.
#[track_caller]
fn check(text: &str) {
    let mut plain = String::new();
    let mut wanted = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        let (marked, after) = after.split_once('»').expect("marks in pairs");
        let (kind, marked) = marked.split_once('|').expect("a kind");
        plain.push_str(before);
        for kind in kind.split(',') {
            wanted.push((kind.to_owned(), plain.len(), plain.len() + marked.len()));
        }
        plain.push_str(marked);
        rest = after;
    }
    plain.push_str(rest);
    let loaded = load(&plain, &Options::default());
    let mut found: Vec<_> = loaded
        .warnings
        .iter()
        .map(|warning| {
            let kind = warning.kind.map_or("none", |kind| kind.name());
            let span = warning.span.unwrap_or_default();
            (kind.to_owned(), span.start as usize, span.end as usize)
        })
        .collect();
    found.sort();
    wanted.sort();
    let shown: Vec<_> = loaded
        .warnings
        .iter()
        .map(|w| w.render(&loaded.sources))
        .collect();
    assert_eq!(found, wanted, "{}", shown.join("\n"));
}

/// Declarations in front of a whole program.
#[track_caller]
fn declarations(text: &str) {
    check(&format!("{BEFORE}{text}{PARSER}{CONTROL}{MAIN}"));
}

/// The declarations and the `apply` of a control with the parameters `h` and `s`.
#[track_caller]
fn control(locals: &str, apply: &str) {
    check(&format!(
        "{BEFORE}{PARSER}control control_(inout Headers h, inout S s) {{ {locals} apply {{ {apply} }} }}\n{MAIN}"
    ));
}

/// The states of a parser with the parameters `p`, `h` and `s`.
#[track_caller]
fn parser(states: &str) {
    check(&format!(
        "{BEFORE}parser parser_(packet_in p, out Headers h, out S s) {{ {states} }}\n{CONTROL}{MAIN}"
    ));
}

#[test]
fn a_kind_can_be_an_error_or_nothing() {
    let text = format!("{BEFORE}const bit<8> unused = 1;{PARSER}{CONTROL}{MAIN}");
    let with = |level| {
        let mut options = Options::default();
        options.warnings.set("unused", level).expect("a kind");
        options
    };
    assert_eq!(load(&text, &with(Level::Warning)).warnings.len(), 1);
    assert!(load(&text, &with(Level::Disabled)).warnings.is_empty());
    let refused = load_text(Path::new("test.p4"), &text, &with(Level::Error));
    let refused = refused.map(|_| ()).expect_err("an error now");
    assert!(
        refused.to_string().contains("[--Werror=unused]"),
        "{refused}"
    );
}
