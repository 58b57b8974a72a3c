// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Compiles the window algorithms of `host_stack/cc`, which the kernel programs use too.

use std::fs;
use std::path::PathBuf;

fn main() {
    let folder = PathBuf::from("../host_stack/cc");
    let mut sources: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| {
            panic!(
                "{}: {error}: the crate is built from a checkout of the repository",
                folder.display()
            )
        })
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();

    sources.sort();
    println!("cargo:rerun-if-changed={}", folder.display());
    for source in &sources {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    sources.retain(|source| source.extension().is_some_and(|extension| extension == "c"));
    cc::Build::new()
        .files(&sources)
        .std("c11")
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .compile("quench_cc");
}
