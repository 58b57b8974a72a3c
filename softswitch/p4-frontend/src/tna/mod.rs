// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The rules of Tofino 1 that can be decided on a program's source (`--arch tna`).
//!
//! They are those that p4c's Tofino back end and the architecture's public description have beyond the language. A rule is
//! here only if the hardware certainly refuses each program that breaks it. The back end decides all that depends on where
//! tables are placed, how fields are packed and how expressions are simplified. Each rule looks only at code that a packet
//! can reach.
//!
//! In: the checked program. Out: errors. Each rule is a file with a function `check`; begin with `arithmetic.rs`. The rules
//! share:
//!
//! | file | holds |
//! |---|---|
//! | `blocks.rs` | the parsers, controls and deparsers of `main` |
//! | `walk.rs` | all code that a block reaches |
//! | `origins.rs` | which values are certainly known only at run time |
//! | `uses.rs`, `outcomes.rs` | accesses to stateful memories and results of tables, for `paths.rs` |
//! | `instances.rs` | extern objects by their numbers |
//! | `widths.rs` | widths of types in bits |

mod alignment;
mod arithmetic;
mod blocks;
mod conditions;
mod copies;
mod direct;
mod hashes;
mod immediates;
mod instances;
mod keys;
mod origins;
mod outcomes;
mod parsing;
mod paths;
mod places;
mod registers;
mod selects;
mod sharing;
mod uses;
mod walk;
mod widths;

use crate::diagnostics::Diagnostics;
use crate::ir::Program;

/// Reports where the program breaks a rule.
pub(crate) fn check(program: &Program, diagnostics: &mut Diagnostics) {
    let Some(blocks) = blocks::blocks(program, diagnostics) else {
        return;
    };
    let origins = origins::Origins::of(program);
    places::check(program, &blocks, diagnostics);
    paths::check(program, &blocks, diagnostics);
    sharing::check(program, &blocks, diagnostics);
    registers::check(program, &blocks, diagnostics);
    arithmetic::check(program, &blocks, &origins, diagnostics);
    keys::check(program, &blocks, diagnostics);
    direct::check(program, &blocks, diagnostics);
    hashes::check(program, &blocks, diagnostics);
    immediates::check(program, &blocks, &origins, diagnostics);
    selects::check(program, &blocks, diagnostics);
    parsing::check(program, &blocks, &origins, diagnostics);
    conditions::check(program, &blocks, &origins, diagnostics);
    copies::check(program, &blocks, diagnostics);
    alignment::check(program, &blocks, diagnostics);
}
