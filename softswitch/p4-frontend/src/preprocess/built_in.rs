// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The architecture's files that are part of the compiler.

use std::path::Path;

/// Shown as the directory of the built-in files.
pub(super) const BUILT_IN_DIR: &str = "<p4include>";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../p4include/", $name)))),*]
    };
}

const FILES: [(&str, &str); 17] = files![
    "core.p4",
    "v1model.p4",
    "v1model_extended.p4",
    "tna.p4",
    "tofino1_specs.p4",
    "tofino1_base.p4",
    "tofino1_arch.p4",
    "tna/copies.p4",
    "tna/counting.p4",
    "tna/enumerations.p4",
    "tna/functions.p4",
    "tna/hashing.p4",
    "tna/headers.p4",
    "tna/matching.p4",
    "tna/metadata.p4",
    "tna/parsing.p4",
    "tna/registers.p4",
];

/// Whether `path`, as diagnostics show it, is that of a built-in file.
pub(crate) fn is_built_in(path: &Path) -> bool {
    path.starts_with(BUILT_IN_DIR)
}

/// The file's name and text.
pub(super) fn find(name: &str) -> Option<(&'static str, &'static str)> {
    FILES
        .iter()
        .find(|(built_in, _)| *built_in == name)
        .copied()
}
