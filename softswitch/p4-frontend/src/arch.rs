// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The table of architectures, as the front end has them: names, macros and rules.

use std::str::FromStr;

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

/// A row of the table.
struct Architecture {
    name: &'static str,
    /// Macros that p4c defines for the target, and those that say what only this compiler has.
    predefined: &'static [(&'static str, &'static str)],
    rules: &'static Rules,
}

impl Arch {
    const ALL: [Arch; 3] = [Arch::V1Model, Arch::V1Model2021, Arch::Tna];

    fn row(self) -> Architecture {
        match self {
            Arch::V1Model => Architecture {
                name: "v1model",
                predefined: &[("__TARGET_BMV2__", "1"), ("__V1MODEL_EXTENDED__", "1")],
                rules: &BMV2,
            },
            Arch::V1Model2021 => Architecture {
                name: "v1model-2021",
                ..Arch::V1Model.row()
            },
            Arch::Tna => Architecture {
                name: "tna",
                predefined: &[("__TARGET_TOFINO__", "1")],
                rules: &TOFINO,
            },
        }
    }

    /// Whatever preprocesses a program sees these macros.
    pub(crate) fn predefined(self) -> &'static [(&'static str, &'static str)] {
        self.row().predefined
    }

    pub(crate) fn rules(self) -> &'static Rules {
        self.row().rules
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Arch::ALL.into_iter().find(|arch| arch.row().name == text);
        found.ok_or_else(|| {
            let [others @ .., last] = Arch::ALL.map(|arch| arch.row().name);
            let others = others.join(", ");
            format!("unknown architecture '{text}'; use {others} or {last}")
        })
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
    /// The chip refuses what breaks the rules of `tna/`.
    pub fits_tofino: bool,
}

const BMV2: Rules = Rules {
    exact_keys_take_masks: false,
    parsers_compute_keys: true,
    default_anywhere: false,
    open_type_arguments: false,
    names_differ: true,
    fits_tofino: false,
};

const TOFINO: Rules = Rules {
    exact_keys_take_masks: true,
    parsers_compute_keys: false,
    default_anywhere: true,
    // Register actions leave the type of their index open, and more.
    open_type_arguments: true,
    // The control plane distinguishes pipelines and their tables by more than the name.
    names_differ: false,
    fits_tofino: true,
};
