// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The table of architectures that programs can be written for.

use quench_p4_frontend::Arch;

use crate::lower;
use crate::p4info::{self, tofino::Tofino};
use crate::tna::Tna;
use crate::v1model;

/// An architecture, as each of the two outputs has it.
pub struct Architecture {
    pub json: &'static dyn lower::Architecture,
    pub p4info: &'static dyn p4info::Dialect,
}

pub fn of(arch: Arch) -> Architecture {
    match arch {
        Arch::V1Model => Architecture {
            json: &v1model::CURRENT,
            p4info: &p4info::v1model::V1Model,
        },
        Arch::V1Model2021 => Architecture {
            json: &v1model::OF_2021,
            p4info: &p4info::v1model::V1Model,
        },
        Arch::Tna => Architecture {
            json: &Tna,
            p4info: &Tofino,
        },
    }
}
