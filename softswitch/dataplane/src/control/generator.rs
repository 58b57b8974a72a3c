// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about TNA's packet generator: its applications, and the ports that went down.

use std::sync::Arc;

use super::tables::refuse;
use super::tna::check_port;
use crate::arch::tna::{generator, Generator};
use crate::arch::Architecture;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::generator::{GeneratorApp, GeneratorCounts, Trigger, GENERATOR_APPS};
use crate::switch::Switch;

/// The memory of all applications' packets, and what each packet's place is a multiple of.
const BUFFER_BYTES: usize = 16 << 10;
const LINE_BYTES: usize = 16;
/// Batches of a trigger, and packets of a batch.
const MOST: u32 = 1 << 16;
/// The last port that a generated packet can seem to come by.
const MAX_SOURCE_PORT: u16 = 127;

impl GeneratorApp {
    /// The first fault of the settings by themselves, if there is one.
    fn fault(&self) -> Option<String> {
        if self.packet.is_empty() || self.packet.len() > BUFFER_BYTES {
            let length = self.packet.len();
            return Some(format!(
                "its packet has {length} bytes, not 1 to {BUFFER_BYTES}"
            ));
        }
        for (what, number) in [("batches", self.batches), ("packets", self.packets)] {
            if !(1..=MOST).contains(&number) {
                return Some(format!("{number} {what}: 1 to {MOST} are possible"));
            }
        }
        if self.trigger == Trigger::PortDown && self.batches != 1 {
            let batches = self.batches;
            return Some(format!(
                "{batches} batches: a port that goes down triggers one, as the port stands in place of the batch"
            ));
        }
        let others = match self.increments_port {
            true => self.packets - 1,
            false => 0,
        };
        let last = u32::from(self.source_port) + others;
        if last > u32::from(MAX_SOURCE_PORT) {
            return Some(format!(
                "its packets come by ports up to {last}: the last one is {MAX_SOURCE_PORT}"
            ));
        }
        None
    }

    fn lines(&self) -> usize {
        self.packet.len().div_ceil(LINE_BYTES)
    }
}

/// The first fault of the applications together: of the buffer's size, or of the mean rate of the periodic ones.
fn fault_of_all(apps: &[Option<Arc<GeneratorApp>>], slowdown: u32) -> Option<String> {
    let lines: usize = apps.iter().flatten().map(|app| app.lines()).sum();
    if lines * LINE_BYTES > BUFFER_BYTES {
        return Some(format!(
            "the packets of all applications take {} bytes: {BUFFER_BYTES} are the most",
            lines * LINE_BYTES
        ));
    }
    let rate = apps.iter().flatten().map(|app| match app.trigger {
        Trigger::Periodic { every_ns } => {
            let period_ns = u128::from(every_ns.max(1)) * u128::from(slowdown.max(1));
            u128::from(app.batches) * u128::from(app.packets) * 1_000_000_000 / period_ns
        }
        _ => 0,
    });
    let rate: u128 = rate.sum();
    let most = generator::MAX_PPS;
    (rate > u128::from(most)).then(|| {
        format!("the periodic applications make {rate} packets a second: {most} are the most; lengthen their periods")
    })
}

impl Switch {
    /// Gives an application of the packet generator its settings, in this program and later ones for TNA; its timer
    /// starts, and its counts are 0. `None`, as at the start: it does nothing. An application for ports that go down
    /// begins with all ports clear.
    pub fn set_generator(
        &mut self,
        number: usize,
        app: Option<GeneratorApp>,
        now_ns: u64,
    ) -> ControlResult<()> {
        check_app(number)?;
        let app = app.map(Arc::new);
        let mut apps = self.fabric.config.generator.clone();
        apps[number].clone_from(&app);
        let fault = app.as_ref().and_then(|app| app.fault());
        let fault = fault.or_else(|| fault_of_all(&apps, self.fabric.config.slowdown));
        if let Some(fault) = fault {
            let message = format!("application {number} of the packet generator: {fault}");
            return refuse(ErrorCode::InvalidArgument, message);
        }
        self.settle(now_ns);
        self.fabric.config.generator = apps;
        self.with_generator(|generator, now_ns| generator.set(number, app, now_ns));
        Ok(())
    }

    /// The settings of an application, and what it has done in this program.
    pub fn generator(
        &self,
        number: usize,
    ) -> ControlResult<Option<(GeneratorApp, GeneratorCounts)>> {
        check_app(number)?;
        let counts = match self.arch() {
            Some(Architecture::Tna(tna)) => tna.generator.counts(number),
            _ => GeneratorCounts::default(),
        };
        let app = self.fabric.config.generator[number].as_deref().cloned();
        Ok(app.map(|app| (app, counts)))
    }

    /// The packet generator hears of a port again the next time that it goes down.
    pub fn clear_port_down(&mut self, port: u32) -> ControlResult<()> {
        check_port(port)?;
        self.with_generator(|generator, _| generator.clear_port(port));
        Ok(())
    }

    /// The switch has been brought to `now_ns`.
    pub(super) fn went_down(&mut self, port: u32) {
        if check_port(port).is_ok() {
            self.with_generator(|generator, now_ns| generator.port_down(port, now_ns));
        }
    }

    /// Nothing happens where the program is not for TNA.
    fn with_generator(&mut self, change: impl FnOnce(&mut Generator, u64)) {
        let now_ns = self.fabric.now_ns;
        if let Some(Architecture::Tna(tna)) = self.arch_mut() {
            change(&mut tna.generator, now_ns);
            let next_ns = tna.generator.next_ns();
            self.fabric.generator_ns = next_ns;
        }
    }
}

fn check_app(number: usize) -> ControlResult<()> {
    if number >= GENERATOR_APPS {
        let last = GENERATOR_APPS - 1;
        return refuse(
            ErrorCode::OutOfRange,
            format!("application {number} of the packet generator: the last one is {last}"),
        );
    }
    Ok(())
}
