// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The programs of this repository are examples for others: they come out without a warning.

use std::path::Path;

use quench_p4_frontend::{load, Arch, Level, Options};

#[track_caller]
fn check(program: &str, arch: Arch, without: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4src");
    let mut options = Options {
        arch,
        ..Options::default()
    };
    for kind in without {
        let set = options.warnings.set(kind, Level::Disabled);
        set.expect("a kind of warning");
    }
    let loaded = match load(&path.join(program), &options) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("refused:\n{failure}"),
    };
    let shown = loaded.warnings.iter().map(|w| w.render(&loaded.sources));
    assert_eq!(shown.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_program_for_software() {
    check("quench.p4", Arch::V1Model, &[]);
}

#[test]
fn the_program_for_tofino() {
    // It shares the types of the other, of which it needs some, and Tofino begins with zeros.
    let without = ["unused", "uninitialized-out-param"];
    check("quench_tna.p4", Arch::Tna, &without);
}
