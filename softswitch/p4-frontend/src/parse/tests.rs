// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use std::path::Path;

use crate::ast::*;
use crate::{parse_text, Options};

fn program(text: &str) -> Vec<Decl> {
    match parse_text(Path::new("t.p4"), text, &Options::default()) {
        Ok(parsed) => parsed.program.decls,
        Err(failure) => panic!("{failure}"),
    }
}

fn errors(text: &str) -> String {
    match parse_text(Path::new("t.p4"), text, &Options::default()) {
        Ok(_) => String::new(),
        Err(failure) => failure.to_string(),
    }
}

/// The expression in a small notation: every operator in parentheses.
fn show(expr: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(show).collect::<Vec<_>>().join(", ");
    match &expr.kind {
        ExprKind::Integer { value, .. } => value.to_string(),
        ExprKind::Path(path) => path.name.text.clone(),
        ExprKind::Type(ty) => format!("<{}>", show_type(ty)),
        ExprKind::Member(base, name) => format!("{}.{}", show(base), name.text),
        ExprKind::Index(base, index) => format!("{}[{}]", show(base), show(index)),
        ExprKind::Slice { base, hi, lo } => format!("{}[{}:{}]", show(base), show(hi), show(lo)),
        ExprKind::PlusSlice { base, lo, width } => {
            format!("{}[{}+:{}]", show(base), show(lo), show(width))
        }
        ExprKind::List { items, rest } => {
            format!("{{{}{}}}", list(items), if *rest { "..." } else { "" })
        }
        ExprKind::Record { fields, rest } => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, e)| format!("{}={}", name.text, show(e)))
                .collect();
            format!(
                "{{{}{}}}",
                fields.join(", "),
                if *rest { "..." } else { "" }
            )
        }
        ExprKind::Unary(op, a) => format!("({op:?} {})", show(a)),
        ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
        ExprKind::Ternary {
            condition,
            then,
            otherwise,
        } => {
            format!(
                "({} ? {} : {})",
                show(condition),
                show(then),
                show(otherwise)
            )
        }
        ExprKind::Cast(ty, e) => format!("({} <- {})", show_type(ty), show(e)),
        ExprKind::Call {
            callee,
            type_args,
            args,
        } => {
            let types: Vec<_> = type_args.iter().map(show_type).collect();
            let args: Vec<_> = args
                .iter()
                .map(|a| a.value.as_ref().map_or("_".into(), show))
                .collect();
            let types = if types.is_empty() {
                String::new()
            } else {
                format!("<{}>", types.join(", "))
            };
            format!("{}{types}({})", show(callee), args.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn show_type(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Bit(Some(width)) => format!("bit {}", show(width)),
        TypeKind::Named(path) => path.name.text.clone(),
        TypeKind::Specialized(path, args) => {
            let args: Vec<_> = args.iter().map(show_type).collect();
            format!("{}<{}>", path.name.text, args.join(", "))
        }
        TypeKind::Stack(item, size) => format!("{}[{}]", show_type(item), show(size)),
        TypeKind::Tuple(items) => format!(
            "tuple({})",
            items.iter().map(show_type).collect::<Vec<_>>().join(", ")
        ),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// The value of `x` in a program that declares the types `T`, `S<A>` and the enum `E`.
fn expr(text: &str) -> String {
    let source =
        format!("struct T {{}} struct S<A> {{ A a; }} enum E {{ A }}\nconst bool x = {text};");
    match program(&source).pop().map(|decl| decl.kind) {
        Some(DeclKind::Const { value, .. }) => show(&value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn precedence_and_associativity() {
    assert_eq!(expr("a + b * c - d"), "((a Add (b Mul c)) Sub d)");
    assert_eq!(expr("a ++ b + c"), "((a Concat b) Add c)");
    assert_eq!(expr("a || b && c == d"), "(a Or (b And (c Eq d)))");
    assert_eq!(
        expr("a | b ^ c & d << e"),
        "(a BitOr (b BitXor (c BitAnd (d Shl e))))"
    );
    assert_eq!(expr("a & b == c"), "((a BitAnd b) Eq c)");
    assert_eq!(expr("-a.b[3] + !c"), "((Negate a.b[3]) Add (Not c))");
    assert_eq!(expr("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
    assert_eq!(
        expr("a |+| b |-| c % d / e"),
        "((a AddSat b) SubSat ((c Mod d) Div e))"
    );
}

#[test]
fn angle_brackets() {
    assert_eq!(expr("a < b"), "(a Lt b)");
    assert_eq!(expr("a < b > (c)"), "((a Lt b) Gt c)");
    assert_eq!(expr("f<T>(c)"), "f<T>(c)");
    assert_eq!(expr("f<S<bit<8>>>(c) >> 2"), "(f<S<bit 8>>(c) Shr 2)");
    assert_eq!(
        expr("a.f<bit<(1 > 0 ? 8 : 4)>>()"),
        "a.f<bit (1 Gt 0 ? 8 : 4)>()".replace("1 Gt 0 ?", "(1 Gt 0) ?")
    );
    assert_eq!(expr("a < E.A"), "(a Lt <E>.A)");
    assert_eq!(expr("a >> b >= c"), "((a Shr b) Ge c)");
    assert!(errors("const bool x = a > > b;")
        .contains("t.p4:1:20: error: expected an expression, found '>'"));
}

#[test]
fn casts_and_parentheses() {
    assert_eq!(expr("(bit<8>) a + b"), "((bit 8 <- a) Add b)");
    assert_eq!(expr("(T) { 1, ... }"), "(T <- {1...})");
    assert_eq!(expr("(S<bit<4>>) {a = 1, ...}"), "(S<bit 4> <- {a=1...})");
    assert_eq!(expr("(E.A == a)"), "(<E>.A Eq a)");
    assert_eq!(expr("(a) - b"), "(a Sub b)");
    assert_eq!(expr("((T) a).b"), "(T <- a).b");
    assert_eq!(expr("S<T>(1).b(_)"), "<S<T>>(1).b(_)");
    assert_eq!(expr("a[7:0] ++ b[i +: 4]"), "(a[7:0] Concat b[i+:4])");
}

#[test]
fn a_local_name_hides_a_type() {
    let text = "struct T {}\ncontrol C() { apply { bit<8> T = 1; bool y = T < T; } }";
    program(text);
    assert!(
        errors("struct T {}\ncontrol C() { apply { bool y = T < T; } }")
            .contains("t.p4:2:37: error: expected ',' or '>', found ';'")
    );
}

#[test]
fn contextual_keywords_are_names() {
    program(
        "struct S { bit<8> key; bit<8> actions; bit<8> apply; bit<8> state; bit<8> type; bit<8> priority; bit<8> list; }\n\
         control C(inout S entries) { apply { entries.key = entries.type + entries.priority; } }",
    );
    assert!(errors("struct S { bit<8> table; }")
        .contains("expected the field's name, found keyword 'table'"));
}

#[test]
fn statements() {
    let text = "extern void f<T>(in T x); control D() { apply {} }\n\
        control C(inout bit<32> a) {\n\
          D() d;\n\
          apply {\n\
            @atomic { a += 1; a |+|= 2; a >>= 3; ; }\n\
            if (a < 3) a[3:0] = 1; else if (a == 4) { return; } else exit;\n\
            switch (a) { 1: 2: { a = 3; } default: {} }\n\
            @unroll for (bit<8> i = 0, bit<8> j = 1; i < 4; i += 1, j += 2) { if (i == 2) break; continue; }\n\
            for (bit<8> i in 1 .. 4) { a = a + 1; }\n\
            f<bit<8>>(1); .f(a); d.apply(); D.apply();\n\
            const bit<8> k = 3; bit<8> v;\n\
          }\n\
        }";
    let decls = program(text);
    let DeclKind::Control { locals, body, .. } = &decls[2].kind else {
        panic!("{decls:?}")
    };
    assert!(matches!(locals[0].kind, DeclKind::Instantiation { .. }));
    assert_eq!(body.statements.len(), 11);
    assert!(matches!(
        body.statements[8].kind,
        StmtKind::DirectApply { .. }
    ));
    assert!(
        matches!(&body.statements[4].kind, StmtKind::ForIn { collection, .. }
        if matches!(collection.kind, ExprKind::Range(..)))
    );
}

#[test]
fn tables() {
    let text = "control C(in bit<8> a) {\n\
          action x(bit<8> p) {}\n\
          table t {\n\
            key = { a : exact @name(\"k\"); a & 3 : ternary; }\n\
            actions = { @tableonly x; @defaultonly .NoAction; x(a); }\n\
            @hidden const default_action = x(1);\n\
            const entries = { (1, 2 &&& 3) : x(4) @e; const priority = 10: (_, default) : x(5); (1 .. 2, 3) : x(6); }\n\
            largest_priority_wins = false;\n\
            size = 1024;\n\
          }\n\
          apply { t.apply(); }\n\
        }";
    let decls = program(text);
    let DeclKind::Control { locals, .. } = &decls[0].kind else {
        panic!("{decls:?}")
    };
    let DeclKind::Table(properties) = &locals[1].kind else {
        panic!("{locals:?}")
    };
    let names: Vec<_> = properties.iter().map(|p| p.name.text.as_str()).collect();
    assert_eq!(
        names,
        [
            "key",
            "actions",
            "default_action",
            "entries",
            "largest_priority_wins",
            "size"
        ]
    );
    let PropertyValue::Entries(entries) = &properties[3].value else {
        panic!("{properties:?}")
    };
    assert_eq!(entries.len(), 3);
    assert!(entries.iter().all(|entry| entry.keyset.len() == 2));
    assert!(entries[1].is_const && entries[1].priority.is_some());
    assert!(matches!(entries[1].keyset[0].kind, ExprKind::DontCare));
}

#[test]
fn parsers_and_externs() {
    let text = "extern List<T> { List(); @a abstract T f(in T x); T get<U>(U u = 1); }\n\
        extern E; typedef struct Inner { bit<8> a; } Outer; type bit<9> Port; enum bit<4> Q { A = 1, B = 2, }\n\
        extern R f<R>(list<R> x); bit<8> g(in bit<8> x) { return x; }\n\
        parser P(in bit<8> a)(bit<8> c) {\n\
          value_set<bit<8>>(4) vs;\n\
          List<bit<8>>() l = { bit<8> f(in bit<8> x) { return this.get<bit<8>>(x); } };\n\
          state start { bit<8> b = a; transition select(a, b) { (1, 2): s; (1 &&& 3, _): accept; default: reject; } }\n\
          state s { transition accept; }\n\
        }\n\
        package Pipe<T>(P p, @optional T t = 3); Pipe(P(1), t = _) main;";
    assert_eq!(program(text).len(), 10);
}

#[test]
fn annotations() {
    let decls = program("@a @b(1, (x) \"s\") @c[1, 2] @d[k = 3,]\n@pragma e f 7\nstruct S {}");
    let bodies: Vec<_> = decls[0]
        .annotations
        .iter()
        .map(|a| (a.name.text.as_str(), &a.body))
        .collect();
    assert!(matches!(bodies[0], ("a", AnnotationBody::None)));
    assert!(matches!(bodies[1], ("b", AnnotationBody::Unstructured(tokens)) if tokens.len() == 6));
    assert!(matches!(bodies[2], ("c", AnnotationBody::Expressions(items)) if items.len() == 2));
    assert!(matches!(bodies[3], ("d", AnnotationBody::KeyValues(pairs)) if pairs.len() == 1));
    assert!(matches!(bodies[4], ("e", AnnotationBody::Unstructured(tokens)) if tokens.len() == 2));
}

#[test]
fn errors_show_line_and_caret() {
    assert_eq!(
        errors("struct S {\n    bit<8> a\n    bit<8> b;\n}\n"),
        "t.p4:2:13: error: expected ';', found keyword 'bit'\n    bit<8> a\n            ^"
    );
    assert_eq!(
        errors("control C() {\n\tapply { x = 1 +; }\n}\n"),
        "t.p4:2:17: error: expected an expression, found ';'\n\tapply { x = 1 +; }\n\t               ^"
    );
    assert_eq!(errors("Foo bar(in bit<8> x) "), "t.p4:1:21: error: expected '{', found the end of the file\nFoo bar(in bit<8> x) \n                    ^");
    assert_eq!(
        errors("struct S { Foo x; }"),
        "t.p4:1:12: error: there is no type 'Foo'\nstruct S { Foo x; }\n           ^~~"
    );
    assert_eq!(
        errors("const bit<8> x = 8wzz;"),
        "t.p4:1:18: error: '8wzz' is not an integer\nconst bit<8> x = 8wzz;\n                 ^~~~"
    );
}

#[test]
fn one_run_shows_several_errors() {
    let text = "control C() {\n action a( { }\n bit<8> x = ;\n table t { key = { x exact; } actions = { } }\n \
                apply { x = 1 + ; if (x { } else { y(; } x = 2; }\n}\nstruct { }\nheader H { bit<8> a; }\nconst bit b;\n";
    let lines: Vec<_> = errors(text)
        .lines()
        .filter(|l| l.contains(": error: "))
        .map(|l| l[5..6].to_owned())
        .collect();
    assert_eq!(lines, ["2", "3", "4", "5", "5", "7", "9"]);
}

#[test]
fn a_literal_that_does_not_fit_is_a_warning() {
    let parsed = parse_text(
        Path::new("t.p4"),
        "const bit<8> x = 8w256;",
        &Options::default(),
    )
    .expect("only a warning");
    assert_eq!(
        parsed.warnings[0].render(&parsed.sources),
        "t.p4:1:18: warning: '8w256' does not fit in 8 bits; its value here is 0 [--Wwarn=overflow]\nconst bit<8> x = 8w256;\n                 ^~~~~"
    );
}

#[test]
fn deep_nesting_is_an_error() {
    let nests = [
        ("const bool x = ", "(", "1", ")", ";"),
        ("const bool x = ", "{", "1", "}", ";"),
        ("const bool x = ", "!", "a", "", ";"),
        ("const bool x = ", "(bit<8>) ", "a", "", ";"),
        ("const bool x = ", "a ? b : ", "a", "", ";"),
        ("const bool x = ", "f<bit<(", "a", ")>>()", ";"),
        ("const ", "tuple<", "bool", ">", " x = 1;"),
        ("struct S<T> {} const ", "S<", "bool", ">", " x = 1;"),
        ("extern ", "S<", "T", ">", " f<T>();"),
        ("control C() { apply ", "{", "", "}", "}"),
        ("control C() { apply { ", "if (a) ", "b = c;", "", "}}"),
        (
            "control C() { apply { ",
            "if (a) {} else ",
            "b = c;",
            "",
            "}}",
        ),
    ];
    for (before, open, inner, close, after) in nests {
        for depth in [20, 10_000] {
            let text = format!(
                "{before}{}{inner}{}{after}",
                open.repeat(depth),
                close.repeat(depth)
            );
            let message = errors(&text);
            let limited =
                message.contains("nested more than") || message.contains("operations deep");
            assert_eq!(depth > 1000, limited, "{open}: {message:.300}");
        }
    }
}

#[test]
fn long_rows_of_operators_are_an_error() {
    assert_eq!(
        errors(&format!("const bool x = a{};", " + a".repeat(500))),
        ""
    );
    for row in [" + a", ".a", "[1]", "(1)"] {
        assert!(
            errors(&format!("const bool x = a{};", row.repeat(600))).contains("operations deep"),
            "{row}"
        );
        assert!(
            errors(&format!("const bool x = a{};", row.repeat(100_000))).contains("in a row"),
            "{row}"
        );
    }
}

/// A program that uses most of the grammar.
const SAMPLE: &str = include_str!("sample.p4");

#[test]
fn the_sample_parses() {
    assert_eq!(errors(SAMPLE), "");
}
