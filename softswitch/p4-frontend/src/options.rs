// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Options of the front end; the names follow p4c's.

use std::path::PathBuf;
use std::str::FromStr;

use crate::arch::Arch;
use crate::warnings::Levels;

/// `--std`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standard {
    #[default]
    P4_16,
    /// A known version, so that the error can name it.
    P4_14,
}

/// The older language, and what to do.
pub(crate) const P4_14: &str =
    "P4-14; translate the program to P4-16, as p4c's `p4test --std p4-14 --pp OUT.p4 FILE` does";

impl FromStr for Standard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "p4-16" | "16" => Ok(Standard::P4_16),
            "p4-14" | "14" => Ok(Standard::P4_14),
            _ => Err(format!("unknown language version '{text}'; use p4-16")),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-I`, searched in this order, before the built-in files.
    pub include_dirs: Vec<PathBuf>,
    /// `-D NAME` (which means 1) and `-D NAME=VALUE`.
    pub defines: Vec<(String, Option<String>)>,
    /// `-U NAME`, after all `-D`.
    pub undefines: Vec<String>,
    pub std: Standard,
    pub arch: Arch,
    /// `--Wdisable`, `--Wwarn` and `--Werror`.
    pub warnings: Levels,
}
