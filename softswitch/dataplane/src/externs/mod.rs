// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! State that packets share: registers, counters, meters, hash functions, random numbers.

pub mod counter;
pub mod crc;
pub mod hash;
pub mod meter;
pub mod random;
pub mod register;

use std::cell::RefCell;

use crate::exec::eval::Faults;
use counter::CounterArray;
use hash::Hasher;
use meter::MeterArray;
use random::Random;
use register::RegisterArray;

/// Everything that actions can change besides the packet.
#[derive(Debug)]
pub struct Externs {
    pub registers: Vec<RegisterArray>,
    pub counters: Vec<CounterArray>,
    pub meters: Vec<MeterArray>,
    /// One for every calculation, and after them one for every selector.
    pub hashers: Vec<Hasher>,
    pub random: Random,
    pub faults: Faults,
    /// Reused buffers.
    pub scratch: RefCell<Vec<u64>>,
    pub hash_input: Vec<u8>,
}
