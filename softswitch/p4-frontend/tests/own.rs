// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The programs of this repository are examples for others: they come out without a warning.

use std::path::Path;

use quench_p4_frontend::{load, Arch, Options};

#[track_caller]
fn check(program: &str, arch: Arch) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4src");
    let options = Options {
        arch,
        ..Options::default()
    };
    let loaded = match load(&path.join(program), &options) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("refused:\n{failure}"),
    };
    let shown = loaded.warnings.iter().map(|w| w.render(&loaded.sources));
    assert_eq!(shown.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_program_for_software() {
    check("quench.p4", Arch::V1Model);
}

#[test]
fn the_program_for_tofino() {
    check("quench_tna.p4", Arch::Tna);
}
