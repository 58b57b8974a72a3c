// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs for the Tofino Native Architecture: `../tests/tna` holds some that are accepted, by topic, and in `errors` one
//! for each fault.

use std::path::{Path, PathBuf};

use quench_p4_frontend::{load, load_text, Arch, Level, Options, Severity};

use crate::programs::{by_topic, in_folder};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tna")
}

/// Only what is about the target: the programs are there for its rules, and leave values unwritten and names unused.
fn tna() -> Options {
    let mut options = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    for kind in [
        "unused",
        "uninitialized-use",
        "uninitialized-out-param",
        "invalid-header",
    ] {
        let set = options.warnings.set(kind, Level::Disabled);
        set.expect("a kind of warning");
    }
    options
}

#[test]
fn programs_within_the_rules_are_accepted_without_a_word() {
    let programs = by_topic(&folder());
    assert!(programs.len() >= 60);
    for path in programs {
        match load(&path, &tna()) {
            Ok(loaded) => {
                let warnings = loaded.warnings.iter().map(|w| w.render(&loaded.sources));
                assert_eq!(warnings.collect::<Vec<_>>(), [""; 0], "{}", path.display());
            }
            Err(failure) => panic!("{}:\n{failure}", path.display()),
        }
    }
}

#[test]
fn one_fault_gives_one_error_at_its_place() {
    let programs = in_folder(&folder().join("errors"));
    assert!(programs.len() >= 40);
    for path in programs {
        let text = std::fs::read_to_string(&path).expect("a program");
        let expected = text
            .lines()
            .find_map(|line| line.strip_prefix("// expect: "))
            .unwrap_or_else(|| {
                panic!("{}: no line '// expect: LINE:COLUMN: text'", path.display())
            });
        let failure = load(&path, &tna()).expect_err(&path.display().to_string());
        let errors: Vec<_> = failure
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .map(|found| {
                let place = found.span.map(|span| failure.sources.location(span));
                let place = place.map_or(String::new(), |p| format!("{}:{}", p.line, p.column));
                format!("{place}: {}", found.message)
            })
            .collect();
        assert_eq!(errors, [expected], "{}", path.display());
    }
}

#[test]
fn the_target_is_predefined_and_the_command_line_has_the_last_word() {
    let program = "#if __TARGET_TOFINO__ != 1\n#error other\n#endif\n#include <tna.p4>\n";
    let path = Path::new("target.p4");
    let message = |options: &Options| {
        let failure = load_text(path, program, options).expect_err("a program without main");
        failure.diagnostics[0].message.clone()
    };
    assert!(message(&tna()).contains("no `main`"));
    let other = Options {
        defines: vec![("__TARGET_TOFINO__".into(), Some("2".into()))],
        ..tna()
    };
    assert_eq!(message(&other), "#error other");
}

#[test]
fn without_the_architecture_its_declarations_say_how_to_choose_it() {
    let program = "#include <tna.p4>\n";
    let failure = load_text(Path::new("t.p4"), program, &Options::default())
        .expect_err("v1model is the default");
    assert_eq!(
        failure.diagnostics[0].message,
        "#error tna.p4 is for Tofino 1: choose it with --arch tna"
    );
}

#[test]
fn the_architecture_of_another_chip_is_named() {
    let errors = |program: &str, defines: &[(String, Option<String>)]| {
        let options = Options {
            defines: defines.to_vec(),
            ..tna()
        };
        let failure = load_text(Path::new("t.p4"), program, &options).expect_err("T2NA");
        let messages = failure.diagnostics.iter();
        messages
            .map(|found| found.message.clone())
            .collect::<Vec<_>>()
    };
    let refused = "not supported: T2NA, the architecture of Tofino 2; only TNA (Tofino 1) is there";
    for file in ["<t2na.p4>", "\"t2na.p4\"", "<tofino2_specs.p4>"] {
        let program = format!("#include <core.p4>\n#include {file}\nUnknown(x) y;\n");
        assert_eq!(
            errors(&program, &[]),
            [format!("{refused}, with --arch tna")]
        );
    }
    let two = [("__TARGET_TOFINO__".to_owned(), Some("2".to_owned()))];
    let tna_of_two = errors("#include <tna.p4>\n", &two);
    assert_eq!(tna_of_two[0], format!("#error {refused}"));
}

#[test]
fn a_file_of_ones_own_may_have_the_name_of_another_chips() {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own");
    std::fs::create_dir_all(&own).expect("a folder");
    std::fs::write(own.join("tofino2_specs.p4"), "const bit<8> OWN = 1;\n").expect("written");
    let options = Options {
        include_dirs: vec![own],
        ..tna()
    };
    let program =
        std::fs::read_to_string(folder().join("language/declarations.p4")).expect("a program");
    for file in ["<tofino2_specs.p4>", "\"tofino2_specs.p4\""] {
        let program = format!("#include {file}\n{program}");
        load_text(&folder().join("language/own.p4"), &program, &options).expect("it is found");
    }
}

#[test]
fn verify_is_allowed_but_does_nothing() {
    let program =
        std::fs::read_to_string(folder().join("language/declarations.p4")).expect("a program");
    let program = program
        .replace("pipe;", "unused;")
        .replace("Switch(pipe) main;", "")
        + "parser Own(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {\n\
           state start { verify(ig_intr_md.resubmit_flag == 0, error.Timeout); transition accept; } }\n\
           Pipeline(Own(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;\n\
           Switch(pipe) main;\n";
    let loaded =
        load_text(&folder().join("language/verify.p4"), &program, &tna()).expect("accepted");
    let warnings: Vec<_> = loaded.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(warnings, ["`verify` does nothing: Tofino has none"]);
}

#[test]
fn v1model_still_wants_every_type_argument() {
    let program = "#define V1MODEL_VERSION 20200408\n#include <v1model.p4>\n\
        control C() { register<bit<8>, _>(4) cells; apply {} }\n";
    let failure = load_text(Path::new("t.p4"), program, &Options::default())
        .expect_err("the index has no type");
    assert!(failure.diagnostics[0]
        .message
        .starts_with("cannot infer the type argument `I` of `register`"));
}
