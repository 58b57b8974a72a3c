// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Options of the front end; the names follow p4c's.

use std::path::PathBuf;
use std::str::FromStr;

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

/// `--arch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arch {
    #[default]
    V1Model,
    /// v1model with the calls that p4c took out at the end of 2021.
    V1Model2021,
    /// The Tofino Native Architecture, of Tofino 1.
    Tna,
}

impl Arch {
    /// Macros that p4c defines for the target. Whatever preprocesses a program sees these.
    pub(crate) fn predefined(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Arch::V1Model | Arch::V1Model2021 => &[("__TARGET_BMV2__", "1")],
            Arch::Tna => &[("__TARGET_TOFINO__", "1")],
        }
    }

    pub(crate) fn rules(self) -> &'static Rules {
        match self {
            Arch::V1Model | Arch::V1Model2021 => &BMV2,
            Arch::Tna => &TOFINO,
        }
    }
}

/// Rules of the language that architectures have in their own way.
pub(crate) struct Rules {
    /// An entry can have a mask for an exact key, as a TCAM matches it.
    pub exact_keys_take_masks: bool,
    /// Parsers compare keys of a `select` with numbers that are known only at run time.
    pub parsers_compute_keys: bool,
    /// `default` may have cases of a `switch` behind it.
    pub default_anywhere: bool,
    /// Type arguments `_` of an object may stay open.
    pub open_type_arguments: bool,
    /// Objects of one kind differ in their names for the control plane.
    pub names_differ: bool,
}

const BMV2: Rules = Rules {
    exact_keys_take_masks: false,
    parsers_compute_keys: true,
    default_anywhere: false,
    open_type_arguments: false,
    names_differ: true,
};

const TOFINO: Rules = Rules {
    exact_keys_take_masks: true,
    parsers_compute_keys: false,
    default_anywhere: true,
    // Register actions leave the type of their index open, and more.
    open_type_arguments: true,
    // The control plane distinguishes pipelines and their tables by more than the name.
    names_differ: false,
};

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "v1model" => Ok(Arch::V1Model),
            "v1model-2021" => Ok(Arch::V1Model2021),
            "tna" => Ok(Arch::Tna),
            _ => Err(format!(
                "unknown architecture '{text}'; use v1model, v1model-2021 or tna"
            )),
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
