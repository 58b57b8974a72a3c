// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Colours of meters.

/// The colours as the v1model numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Color {
    Green = 0,
    Yellow = 1,
    Red = 2,
}

impl Color {
    /// A colour of TNA, which has two numbers for yellow; only two bits count.
    pub fn from_tna(number: u64) -> Self {
        match number & 3 {
            0 => Self::Green,
            3 => Self::Red,
            _ => Self::Yellow,
        }
    }
}
