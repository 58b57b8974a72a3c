// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! State that packets share: registers, counters, meters, filters, hash functions, random numbers.
//!
//! In: reads, writes and counts by packets and by the control interface. Out: values. Begin with `register.rs`, the
//! simplest.

pub mod clock;
pub mod counter;
pub mod crc;
pub mod faults;
mod filter;
pub mod filter_array;
pub mod hash;
mod lpf;
pub mod math_unit;
pub mod meter;
pub mod random;
pub mod register;
pub mod tna_hash;
mod wred;

use std::cell::RefCell;

use crate::state::cells::Cells;
use clock::ChipClock;
use counter::CounterArray;
use faults::Faults;
use filter_array::FilterArray;
use hash::Hasher;
use math_unit::MathUnit;
use meter::MeterArray;
use random::Random;
use register::RegisterArray;

/// Everything that actions can change besides the packet.
#[derive(Debug)]
pub struct Externs {
    pub registers: Cells<RegisterArray>,
    pub counters: Cells<CounterArray>,
    pub meters: Vec<MeterArray>,
    pub filters: Vec<FilterArray>,
    pub math_units: Vec<MathUnit>,
    /// One for every calculation, and after them one for every selector.
    pub hashers: Vec<Hasher>,
    pub random: Random,
    pub clock: ChipClock,
    /// The port that stands for dropping.
    pub drop_port: u32,
    pub faults: Faults,
    /// Reused buffers.
    pub scratch: RefCell<Vec<u64>>,
    pub hash_input: Vec<u8>,
}

impl Externs {
    /// The time on the clock of meters and filters.
    pub fn chip_ns(&self, now_ns: u64) -> u64 {
        self.clock.at(now_ns)
    }

    /// The same as they are when a program begins, with random numbers of their own.
    pub fn fresh(&self, seed: u64) -> Self {
        let registers = self.registers.iter();
        let counters = self.counters.iter();
        let meters = self.meters.iter();
        // Made, not copied: cells that nobody uses take no memory.
        Self {
            registers: registers.map(RegisterArray::fresh).collect(),
            counters: counters
                .map(|array| CounterArray::new(array.cells.len()))
                .collect(),
            meters: meters
                .map(|array| MeterArray::new(array.cells.len(), array.def))
                .collect(),
            filters: self
                .filters
                .iter()
                .map(|array| FilterArray::new(array.cells.len(), array.kind))
                .collect(),
            math_units: self.math_units.clone(),
            hashers: self.hashers.clone(),
            random: Random::new(seed),
            clock: ChipClock::default(),
            drop_port: self.drop_port,
            faults: Faults::default(),
            scratch: RefCell::default(),
            hash_input: Vec::new(),
        }
    }
}
