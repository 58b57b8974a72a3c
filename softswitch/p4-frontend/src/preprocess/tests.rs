// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use std::path::{Path, PathBuf};

use super::{preprocess, print};
use crate::{Arch, Diagnostics, Options, SourceMap};

/// Tokens joined by spaces, and the rendered diagnostics.
fn run_with(path: &Path, text: &str, options: &Options) -> (String, String) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let tokens = preprocess(path, Some(text), options, &mut sources, &mut diagnostics);
    let texts: Vec<String> = tokens
        .iter()
        .map(|t| t.text())
        .filter(|t| !t.is_empty())
        .collect();
    let rendered: Vec<String> = diagnostics.iter().map(|d| d.render(&sources)).collect();
    (texts.join(" "), rendered.join("\n"))
}

fn run(text: &str) -> (String, String) {
    run_with(Path::new("t.p4"), text, &Options::default())
}

#[track_caller]
fn expands(text: &str, expected: &str) {
    assert_eq!(run(text), (expected.to_owned(), String::new()));
}

#[track_caller]
fn fails(text: &str, message: &str) {
    let (_, rendered) = run(text);
    assert!(rendered.contains(message), "{rendered}");
}

#[test]
fn object_and_function_macros() {
    expands("#define N 8\n#define W(x) bit<x>\nW(N) a;", "bit < 8 > a ;");
    expands("#define F(a, b) a + b\nF((1, 2), 3) F", "( 1 , 2 ) + 3 F");
    expands("#define F() x\nF() F ()", "x x");
    expands("#define F(a) [a]\nF(\n1\n)", "[ 1 ]");
    expands("#define N 1\n#undef N\nN", "N");
}

#[test]
fn a_macro_is_not_expanded_in_itself() {
    expands("#define x x + 1\nx", "x + 1");
    expands("#define a b\n#define b a\na b", "a b");
    expands("#define f(x) f(x + 1)\nf(f(2))", "f ( f ( 2 + 1 ) + 1 )");
    expands("#define G F\n#define F(x) <x>\nG(1)", "< 1 >");
}

#[test]
fn stringify_and_paste() {
    expands("#define S(x) #x\nS(a  +\"b\\n\")", r#""a +\"b\\n\"""#);
    expands(
        "#define P(a, b) a ## b\nP(8w, 3) P(x, ) P(, y) P(<, <)",
        "8w3 x y <<",
    );
    expands("#define N 4\n#define P(a, b) a##b\nP(x, N)", "xN");
    // Not one token.
    expands("#define P(a, b) a##b\nP(+, *) P(x, (1))", "+ * x ( 1 )");
}

#[test]
fn variadic_macros() {
    expands(
        "#define L(f, ...) f(__VA_ARGS__)\nL(g, 1, 2) L(g)",
        "g ( 1 , 2 ) g ( )",
    );
    expands(
        "#define L(f, args...) g(f, ## args)\nL(1) L(1, 2, 3)",
        "g ( 1 ) g ( 1 , 2 , 3 )",
    );
}

#[test]
fn conditionals() {
    expands(
        "#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne",
        "b e",
    );
    expands("#ifdef X\na\n#else\nb\n#endif\n#ifndef X\nc\n#endif", "b c");
    expands(
        "#if 0\n#if 1\na\n#else\nb\n#endif\n#error no\n\" '\n#else\nc\n#endif",
        "c",
    );
    expands(
        "#define V 20200408\n#if defined(V) && V >= 20200408 && !defined W\na\n#endif",
        "a",
    );
}

#[test]
fn condition_arithmetic() {
    for holds in [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "0x10 == 16 && 010 == 8 && 0b11 == 3 && 10UL == 10",
        "-7 / 2 == -3 && -7 % 2 == -1",
        "1 << 4 >> 2 == 4",
        "~0 == -1 && !0",
        "1 ? 2 : 0",
        "0 && 1 / 0 || 1",
        "undefined_name == 0",
        "(6 & 3) == 2 && (6 | 1) == 7 && (6 ^ 3) == 5",
    ] {
        expands(&format!("#if {holds}\nyes\n#endif"), "yes");
    }
    fails(
        "#if 1 / 0\n#endif",
        "t.p4:1:7: error: division by zero in a preprocessor expression",
    );
    fails("#if (1\n#endif", "expected ')'");
    fails("#if 1 2\n#endif", "t.p4:1:7: error: unexpected '2'");
    fails("#if\n#endif", "a preprocessor expression ends too early");
    fails(
        &format!("#if {}1\n#endif", "(".repeat(200)),
        "nested more than 100 deep",
    );
}

#[test]
fn predefined_macros() {
    expands(
        "__LINE__\n__FILE__ __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__",
        "1 \"t.p4\" 0 1 0",
    );
    expands("#line 70 \"x.p4\"\n__LINE__ __FILE__", "70 \"x.p4\"");
}

#[test]
fn macros_of_the_target() {
    let text = "__TARGET_BMV2__ __TARGET_TOFINO__";
    let seen = |options: Options| run_with(Path::new("t.p4"), text, &options);
    let printed = |text: &str| (text.to_owned(), String::new());
    assert_eq!(seen(Options::default()), printed("1 __TARGET_TOFINO__"));
    let tna = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    assert_eq!(seen(tna), printed("__TARGET_BMV2__ 1"));
    let other = Options {
        defines: vec![("__TARGET_BMV2__".into(), Some("7".into()))],
        ..Options::default()
    };
    assert_eq!(seen(other), printed("7 __TARGET_TOFINO__"));
    let extended = |options| run_with(Path::new("t.p4"), "__V1MODEL_EXTENDED__", &options).0;
    assert_eq!(extended(Options::default()), "1");
    for options in [
        Options {
            arch: Arch::Tna,
            ..Options::default()
        },
        Options {
            undefines: vec!["__V1MODEL_EXTENDED__".into()],
            ..Options::default()
        },
    ] {
        assert_eq!(extended(options), "__V1MODEL_EXTENDED__");
    }
    let none = Options {
        undefines: vec!["__TARGET_BMV2__".into()],
        ..Options::default()
    };
    assert_eq!(seen(none), printed("__TARGET_BMV2__ __TARGET_TOFINO__"));
}

#[test]
fn a_line_goes_on_behind_a_backslash_with_blanks() {
    let (text, warnings) = run("#define TWO(a) a; \\ \t\n  b;\nTWO(x)\nc\\ d");
    assert_eq!(text, "x ; b ; c \\ d");
    assert_eq!(
        warnings,
        "t.p4:1:19: warning: blanks stand between a backslash and its line end: the line goes on \
         [--Wwarn=preprocessor]\n#define TWO(a) a; \\ \t\n                  ^~~"
    );
}

#[test]
fn command_line_definitions() {
    let options = Options {
        defines: vec![
            ("A".into(), None),
            ("B".into(), Some("x y".into())),
            ("C".into(), None),
        ],
        undefines: vec!["C".into()],
        ..Options::default()
    };
    let (text, errors) = run_with(Path::new("t.p4"), "A B C", &options);
    assert_eq!((text.as_str(), errors.as_str()), ("1 x y C", ""));
}

#[test]
fn directives_that_fail_say_where() {
    fails(
        "a\n #error out of   luck\n",
        "t.p4:2:2: error: #error out of   luck\n #error out of   luck\n ^~~~~~~~~~~~~~~~~~~~",
    );
    fails("#if 1\n", "t.p4:1:1: error: this conditional has no #endif");
    fails("#endif", "t.p4:1:1: error: #endif without #if");
    fails(
        "#if 1\n#else\n#else\n#endif",
        "t.p4:3:1: error: #else after #else",
    );
    fails(
        "#define F(a) a\nF(1, 2)",
        "t.p4:2:1: error: macro 'F' takes 1 arguments, not 2",
    );
    fails(
        "#define F(a) a\nF(1",
        "the arguments of macro 'F' have no ')'",
    );
    fails(
        "#define A 1\n#define A 2",
        "t.p4:2:9: warning: 'A' is defined again, differently",
    );
    fails("#define F(a, a) a", "declared twice");
    fails(
        "#include 7",
        "t.p4:1:1: error: #include needs \"FILE\" or <FILE>",
    );
    fails(
        "#frobnicate",
        "t.p4:1:1: warning: unknown directive '#frobnicate' is ignored",
    );
}

#[test]
fn a_missing_file_is_shown_with_its_include() {
    let (_, rendered) = run("\n#include <nowhere.p4>\n");
    assert_eq!(
        rendered,
        "t.p4:2:1: error: cannot find the file 'nowhere.p4'\n\
         #include <nowhere.p4>\n^~~~~~~~~~~~~~~~~~~~~\n\
         note: built in are core.p4, v1model.p4 and tna.p4; -I DIR adds a directory to search"
    );
}

/// A directory of its own, removed at the end.
struct TempDir(PathBuf);

impl TempDir {
    fn new(name: &str, files: &[(&str, &str)]) -> TempDir {
        let dir =
            std::env::temp_dir().join(format!("quench-preprocess-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().expect("a file has a directory"))
                .expect("temporary directory");
            std::fs::write(path, text).expect("temporary file");
        }
        TempDir(dir)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // Left-over temporary files harm nothing.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn includes_look_beside_the_file_then_in_the_given_directories_then_inside() {
    let dir = TempDir::new(
        "order",
        &[
            ("src/sub/a.p4", "#include \"b.p4\"\n#include <b.p4>\n"),
            ("src/sub/b.p4", "beside"),
            ("inc/b.p4", "given"),
            ("own/core.p4", "own_core"),
        ],
    );
    let options = Options {
        include_dirs: vec![dir.0.join("inc")],
        ..Options::default()
    };
    let main = dir.0.join("src/main.p4");
    let (text, errors) = run_with(
        &main,
        "#define WHERE \"sub/a.p4\"\n#include WHERE\nend",
        &options,
    );
    assert_eq!((text.as_str(), errors.as_str()), ("beside given end", ""));

    let own = Options {
        include_dirs: vec![dir.0.join("own")],
        ..Options::default()
    };
    assert_eq!(run_with(&main, "#include <core.p4>", &own).0, "own_core");
    assert!(run_with(&main, "#include <core.p4>", &options)
        .0
        .contains("extern packet_in {"));
}

#[test]
fn guards_and_pragma_once_work_and_cycles_end() {
    let dir = TempDir::new(
        "guards",
        &[
            (
                "guard.p4",
                "#ifndef G\n#define G\nguarded\n#include \"guard.p4\"\n#endif\n",
            ),
            ("once.p4", "#pragma once\nonce\n#include \"once.p4\"\n"),
            ("cycle.p4", "#include \"cycle.p4\"\n#include \"cycle.p4\"\n"),
        ],
    );
    let main = dir.0.join("main.p4");
    let options = Options::default();
    let (text, errors) = run_with(
        &main,
        "#include \"guard.p4\"\n#include \"guard.p4\"\n#include \"once.p4\"\n",
        &options,
    );
    assert_eq!((text.as_str(), errors.as_str()), ("guarded once", ""));
    let (_, errors) = run_with(&main, "#include \"cycle.p4\"\n", &options);
    assert!(
        errors.contains("cycle.p4:1:1: error: files include each other more than 64 deep"),
        "{errors}"
    );
}

#[test]
fn doubling_macros_hit_the_limit() {
    let mut text = String::from("#define A0 x x x x\n");
    for level in 1..20 {
        text.push_str(&format!(
            "#define A{level} A{0} A{0} A{0} A{0}\n",
            level - 1
        ));
    }
    text.push_str("A19\n");
    fails(&text, "longer than 4000000 tokens");
}

#[test]
fn v1model_version_chooses_the_interface() {
    let index_type = |version: &str| {
        let (text, errors) = run(&format!("{version}\n#include <v1model.p4>\n"));
        assert_eq!(errors, "");
        text.contains("extern register < T , I >")
    };
    assert!(!index_type(""));
    assert!(index_type("#define V1MODEL_VERSION 20200408"));
}

#[test]
fn printed_text_reads_the_same() {
    let text =
        "#define T bit<8>\n#define MINUS -\n\nT a = 1 MINUS-MINUS 2; // c\n\n@name(\"x y\") T b;\n";
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let options = Options::default();
    let tokens = preprocess(
        Path::new("t.p4"),
        Some(text),
        &options,
        &mut sources,
        &mut diagnostics,
    );
    let printed = print::to_text(&tokens, &sources);
    assert_eq!(run(&printed), run(text));
    assert!(printed.starts_with("# 4 \"t.p4\"\n"), "{printed}");
}

#[test]
fn a_file_without_a_size_that_never_ends_and_what_is_no_file_are_refused() {
    let dir = TempDir::new("kinds", &[("folder/x", "")]);
    let made = std::process::Command::new("mkfifo")
        .arg(dir.0.join("pipe"))
        .status();
    assert!(made.expect("mkfifo").success());
    std::os::unix::fs::symlink("/dev/zero", dir.0.join("endless")).expect("link");
    let long = std::fs::File::create(dir.0.join("long")).expect("file");
    long.set_len(crate::limits::MAX_FILE_BYTES + 1)
        .expect("a file with a hole");
    for (name, reason) in [
        ("folder", "not a file"),
        ("pipe", "not a file"),
        ("endless", "not a file"),
        ("long", "larger than 67108864 bytes"),
    ] {
        let text = format!("#include \"{name}\"");
        let (_, errors) = run_with(&dir.0.join("main.p4"), &text, &Options::default());
        assert!(errors.contains(reason), "{name}: {errors}");
    }
}

#[test]
fn a_string_contains_conditionals_and_line_markers() {
    let text = "#define A\n@s(\"one\n#if defined(A)\ntwo\n  #else\nthree\n#endif\n# 40 \"g.p4\"\n four\") x";
    expands(text, "@ s ( \"one\n\ntwo\n\n\n\n\n four\" ) x");
    // Lines that directives leave empty are lines of the string, so what follows keeps its place.
    let (_, rendered) = run("\"a\n# 40 \"g.p4\"\nb\"\n#error here\n");
    assert!(rendered.contains("g.p4:41:1"), "{rendered}");
    expands("#if 0\n\"a\n#if 1\nb\n#endif\n\"\n#endif\nc", "c");
}

#[test]
fn a_single_quotation_mark_ends_at_the_conditional_around() {
    expands("#if 0\ndon\"t\n#endif\na \"b\"", "a \"b\"");
    expands(
        "#if 0\ndon\"t\n#if 1\n#endif\n#else\na \"b\"\n#endif",
        "a \"b\"",
    );
    fails("\"a\n#define B\n", "t.p4:1:1: error: unterminated string");
    fails(
        "\"a\n#if 1\nb\"\n#endif\n",
        "t.p4:1:1: error: unterminated string",
    );
}

#[test]
fn versions_of_v1model_are_checked() {
    let include =
        |version: &str| format!("#define V1MODEL_VERSION {version}\n#include <v1model.p4>\n");
    assert_eq!(run(&include("20200408")).1, "");
    for version in ["20000101", "-6", "20270101"] {
        fails(
            &include(version),
            "V1MODEL_VERSION must be from 20180101 to 20200408",
        );
    }
}
