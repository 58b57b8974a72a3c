// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The pipeline in the embedded switch, for tests and the benchmark.

#![forbid(unsafe_code)]

pub mod router;
pub mod tables;

use std::path::PathBuf;

use quench_p4_frontend::{Arch, Options};

/// A program of `p4src`.
pub fn path(program: &str) -> PathBuf {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    folder.join(program)
}

/// Its JSON, with what only the embedded switch has, as `make p4` builds it.
pub fn compiled(program: &str, arch: Arch) -> String {
    let options = Options {
        arch,
        defines: vec![("QUENCH_EXTENDED".to_owned(), None)],
        ..Options::default()
    };
    let compiled = quench_p4_backend::compile(&path(program), &options);
    compiled.unwrap_or_else(|failure| panic!("{failure}")).json
}

/// `quench.p4`, as JSON.
pub fn program() -> String {
    compiled("quench.p4", Arch::V1Model)
}
