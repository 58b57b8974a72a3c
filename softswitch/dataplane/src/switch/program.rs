// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A program for any number of switches.

use std::collections::HashMap;
use std::sync::Arc;

use crate::exec::core::Start;
use crate::exec::jit::Code;
use crate::exec::reached::{self, Reached};
use crate::load::{self, Loaded};
use crate::model::error::ControlResult;
use crate::model::info::ProgramInfo;

/// A program that is read, checked and made into machine code once; see [`super::Switch::load`].
pub struct SharedProgram {
    loaded: Loaded,
    code: Option<Arc<Code>>,
}

impl SharedProgram {
    /// Refuses BMv2 JSON that is larger than any program may be. It is not read.
    pub fn check_size(json: &str) -> ControlResult<()> {
        Ok(load::check_size(json)?)
    }

    /// From BMv2 JSON.
    pub fn new(json: &str) -> ControlResult<Self> {
        Ok(Self::interpreted(json)?.compiled())
    }

    /// With machine code, for a program that was read without.
    pub fn compiled(mut self) -> Self {
        let Start {
            program,
            externs,
            tables,
            ..
        } = &self.loaded.start;
        self.code = Code::new(program, externs, tables).map(Arc::new);
        self
    }

    /// Says of tables what only P4Info does: `None` where all entries are constant, otherwise the most that there can
    /// be. The JSON does not tell `entries` from `const entries`, and its size is their number; of tables that are not
    /// named here, the entries that it gives are constant, as in BMv2.
    pub fn set_entries(&mut self, tables: &HashMap<String, Option<u64>>) {
        let program = Arc::get_mut(&mut self.loaded.start.program);
        let program = program.expect("nothing else has the program yet");
        for (def, info) in program.tables.iter_mut().zip(&mut program.info.tables) {
            let Some(&most) = tables.get(&def.name) else {
                continue;
            };
            if def.const_entries {
                def.size = def.size.max(most.unwrap_or(0));
            }
            def.const_entries = most.is_none();
            (info.size, info.const_entries) = (def.size, def.const_entries);
        }
    }

    /// A program without machine code.
    pub fn interpreted(json: &str) -> ControlResult<Self> {
        let loaded = load::load(json)?;
        Ok(Self { loaded, code: None })
    }

    /// As [`Self::interpreted`]; the parts that packets reach are counted, see [`Self::reached`].
    pub fn recorded(json: &str) -> ControlResult<Self> {
        let mut shared = Self::interpreted(json)?;
        let Start {
            program, tables, ..
        } = &mut shared.loaded.start;
        let coverage = reached::counts_of(program, tables);
        let program = Arc::get_mut(program).expect("nothing else has the program yet");
        program.coverage = Some(coverage);
        Ok(shared)
    }

    /// The parts that packets reached on all switches with this program, if that is recorded.
    pub fn reached(&self) -> Option<Reached> {
        Reached::of(&self.loaded.start.program)
    }

    /// The objects that the control plane can name.
    pub fn info(&self) -> &ProgramInfo {
        &self.loaded.start.program.info
    }

    pub(super) fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    pub(super) fn code(&self) -> Option<Arc<Code>> {
        self.code.clone()
    }
}
