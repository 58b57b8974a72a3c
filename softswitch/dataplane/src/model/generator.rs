// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of TNA's packet generator.

/// Applications of the generator.
pub const GENERATOR_APPS: usize = 8;

/// The event that makes an application send its batches. Times are on the chip's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    OneShot {
        after_ns: u32,
    },
    Periodic {
        every_ns: u32,
    },
    PortDown,
    /// A recirculated packet whose first four bytes have this value where the mask has ones.
    Recirculated {
        value: u32,
        mask: u32,
    },
}

/// The settings of an application of the packet generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorApp {
    pub trigger: Trigger,
    /// The bytes behind the generator's header.
    pub packet: Vec<u8>,
    /// The number of batches of a trigger.
    pub batches: u32,
    /// The number of packets of a batch.
    pub packets: u32,
    /// From the start of one to the start of the next, on the chip's clock.
    pub batch_gap_ns: u32,
    pub packet_gap_ns: u32,
    /// The ingress port that the program sees.
    pub source_port: u16,
    /// Each packet of a batch has the port behind that of the packet before.
    pub increments_port: bool,
}

/// The counts of an application since it was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeneratorCounts {
    pub triggers: u64,
    pub batches: u64,
    pub packets: u64,
    /// Triggers that came while as many as can wait did.
    pub lost_triggers: u64,
}
