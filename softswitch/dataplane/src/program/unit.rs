// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TNA's units, as a program executes them: filters, the math unit, hashes, meters, counters and logs.

use super::target::Target;
use crate::model::ids::Value;

/// One execution of a unit.
#[derive(Debug)]
pub enum Unit {
    /// Destination and calculation.
    Hash(Target, u32),
    /// Destination, array, sample and index.
    Filter(Target, u32, Value, Value),
    /// Destination, unit and operand.
    Math(Target, u32, Value),
    /// Array, index, destination, the packet's colour before, and what is taken off its length.
    Meter(u32, Value, Target, Option<Value>, Option<Value>),
    /// Array, index and what is taken off the packet's length.
    Count(u32, Value, Value),
    /// Destination and register array: the index of the next entry of a log.
    NextIndex(Target, u32),
}

impl Unit {
    /// The numbers that it works with, and where the result goes.
    pub fn parts(&self) -> (Option<Target>, Vec<Value>) {
        match *self {
            Self::Hash(target, _) | Self::NextIndex(target, _) => (Some(target), vec![]),
            Self::Filter(target, _, sample, index) => (Some(target), vec![sample, index]),
            Self::Math(target, _, operand) => (Some(target), vec![operand]),
            Self::Meter(_, index, target, before, less) => {
                let values = [Some(index), before, less];
                (Some(target), values.into_iter().flatten().collect())
            }
            Self::Count(_, index, less) => (None, vec![index, less]),
        }
    }

    /// The primitive's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hash(..) => "hash",
            Self::Filter(..) => "filter",
            Self::Math(..) => "math_unit",
            Self::Meter(..) => "execute_meter",
            Self::Count(..) => "count",
            Self::NextIndex(..) => "next_index",
        }
    }
}
