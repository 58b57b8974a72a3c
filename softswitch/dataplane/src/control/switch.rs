// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about the switch as a whole: its program with its hash functions, its ports by number, memory and counts.

use super::tables::refuse;
use crate::exec::core::Core;
use crate::externs::crc::CustomCrcParams;
use crate::externs::hash::Hasher;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::info::ProgramInfo;
use crate::switch::Switch;

impl Switch {
    pub(super) fn loaded(&self) -> ControlResult<&Core> {
        match &self.fabric.core {
            Some(core) => Ok(core),
            None => refuse(ErrorCode::FailedPrecondition, "no program is loaded"),
        }
    }

    pub(super) fn loaded_mut(&mut self) -> ControlResult<&mut Core> {
        match &mut self.fabric.core {
            Some(core) => Ok(core),
            None => refuse(ErrorCode::FailedPrecondition, "no program is loaded"),
        }
    }

    /// Removes the program; packets are then dropped and counted.
    pub fn unload(&mut self) {
        self.reset();
    }

    pub fn program(&self) -> Option<&ProgramInfo> {
        self.fabric.core.as_ref().map(|core| &core.program.info)
    }

    /// Gives a calculation that is a custom CRC of so many bits other parameters, until the program begins anew.
    pub fn set_custom_crc(
        &mut self,
        name: &str,
        width: u32,
        params: CustomCrcParams,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let names = &core.program.labels.calculations;
        let Some(index) = names.iter().position(|known| known == name) else {
            let message = format!("there is no calculation called '{name}'");
            return refuse(ErrorCode::NotFound, message);
        };
        let hasher = core.program.calculations[index].hasher;
        match &mut core.externs.hashers[hasher as usize] {
            Hasher::CustomCrc(crc) if crc.width() == width => {
                crc.set(params);
                Ok(())
            }
            _ => refuse(
                ErrorCode::FailedPrecondition,
                format!("calculation '{name}' is no crc{width}_custom"),
            ),
        }
    }

    /// Marks a port as up or down, for selectors that watch it and for TNA's packet generator; ports are up at first.
    pub fn set_port_up(&mut self, port: u32, up: bool, now_ns: u64) {
        self.settle(now_ns);
        let Some(core) = &mut self.fabric.core else {
            return;
        };
        if core.set_port_up(port, up) && !up {
            self.went_down(port);
        }
    }

    pub fn ports(&self) -> Vec<u32> {
        self.fabric.ports.iter().copied().collect()
    }

    /// The memory that entries, members, groups, value sets, clone sessions and multicast groups take, roughly.
    pub fn state_bytes(&self) -> usize {
        self.fabric.core.as_ref().map_or(0, Core::footprint_bytes)
            + self.fabric.replication.footprint_bytes
    }

    /// Switch-wide counts by name: packets per pipeline, clones, drops by reason, out-of-range accesses, parser errors.
    pub fn stats(&self) -> Vec<(&'static str, u64)> {
        let mut stats = self.fabric.stats.list();
        if let Some(core) = &self.fabric.core {
            let faults = &core.externs.faults;
            stats.extend([
                ("register_index_out_of_range", faults.register_index.get()),
                ("counter_index_out_of_range", faults.counter_index.get()),
                ("meter_index_out_of_range", faults.meter_index.get()),
                ("stack_index_out_of_range", faults.stack_index.get()),
                ("division_by_zero", faults.division_by_zero.get()),
            ]);
        }
        stats
    }
}
