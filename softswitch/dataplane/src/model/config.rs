// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of a switch, and the packets that it gives back.

use std::sync::Arc;

use super::generator::{GeneratorApp, GENERATOR_APPS};
use super::packet_bytes::PacketBytes;

/// Fixed properties of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchConfig {
    /// The port of packet-in and packet-out, if there is one (1 to 510).
    pub cpu_port: Option<u32>,
    /// `egress_spec` with this value drops.
    pub drop_port: u32,
    /// The clock of the chip, in TNA, runs this many times slower than time: a link of 10 Mb/s is to a chip that is
    /// 1000 times slower what one of 10 Gb/s is to the real one. At least 1.
    pub slowdown: u32,
    /// The time on the chip's clock when the switch begins. A real chip has run for a while before anything comes.
    pub chip_start_ns: u64,
    /// The port and queue, in TNA, of packets that ask to be deflected and whose own queue is full.
    pub deflection: Option<(u32, u8)>,
    /// The applications of TNA's packet generator.
    pub generator: [Option<Arc<GeneratorApp>>; GENERATOR_APPS],
    /// Seed of everything random: `random()`, selection, link loss.
    pub seed: u64,
    /// Queues of a port that has no options of its own, 1 to 8.
    pub priority_queues: u8,
    /// Packets in queues and on links take at most about this much memory; further ones are dropped.
    pub max_held_bytes: u64,
    /// Traces of packets take at most this part of the time, in percent; `None`: as long as they take, as in virtual
    /// time, where nobody waits.
    pub traced_percent: Option<u32>,
    /// Programs are interpreted instead of compiled to machine code. It is slower, and otherwise the same: what machine
    /// code is tested against.
    pub interpreted: bool,
}

impl Default for SwitchConfig {
    fn default() -> Self {
        Self {
            cpu_port: None,
            drop_port: 511,
            slowdown: 1,
            deflection: None,
            generator: Default::default(),
            chip_start_ns: 0,
            seed: 1,
            priority_queues: 1,
            max_held_bytes: u64::MAX,
            traced_percent: None,
            interpreted: false,
        }
    }
}

/// A packet or digest that leaves a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A packet at the far end of a port's link; the CPU port included.
    Packet {
        port: u32,
        bytes: PacketBytes,
        time_ns: u64,
    },
    /// One digest message: the values of its fields, each of its byte width.
    Digest {
        id: u32,
        fields: Vec<Vec<u8>>,
        time_ns: u64,
    },
}
