// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The objects that evaluation has made so far.

use std::collections::{HashMap, HashSet};

use crate::ir::{self, Type, VarId};

#[derive(Default)]
pub struct Instances {
    /// Copies of functions by declaration and type arguments.
    pub functions: HashMap<(usize, Vec<Type>), ir::FunctionId>,
    /// Copies with errors, which are reported once.
    pub failed_functions: HashSet<(usize, Vec<Type>)>,
    /// Number of functions around that are being copied for a call.
    pub function_depth: usize,
    /// Copies of top-level actions, by number of the instance and position of the declaration.
    pub global_actions: HashMap<(usize, usize), ir::ActionId>,
    /// A declaration is looked at for its errors only.
    pub dry: bool,
    /// Stand-ins for constructor parameters in a dry run: known at compile time, with a value that is not known yet.
    pub opaque: HashSet<VarId>,
    /// Number of bodies of controls and parsers elaborated so far, which is the number of the current instance.
    pub bodies: usize,
    /// Number of parsers and controls around.
    pub depth: usize,
    /// Number of packages without a name so far.
    pub packages: usize,
}
