// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The architectures that programs can be written for.

use quench_p4_frontend::ir;
use quench_p4_frontend::{Arch, SourceMap};

use crate::error::{Result, Warnings};
use crate::json;
use crate::lower::Architecture;
use crate::tna::Tna;
use crate::v1model;

pub fn of(arch: Arch) -> &'static dyn Architecture {
    match arch {
        Arch::V1Model => &v1model::CURRENT,
        Arch::V1Model2021 => &v1model::OF_2021,
        Arch::Tna => &Tna,
    }
}

/// The JSON model of a program, and warnings with their places.
pub fn translate(
    ir: &ir::Program,
    arch: Arch,
    sources: &SourceMap,
    program_name: &str,
) -> Result<(json::Program, Warnings)> {
    of(arch).translate(ir, sources, program_name)
}
