// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Arrays of `Lpf` and `Wred`.

use super::clock::cycles;
use super::filter::{Constants, Filter};
use super::random::Random;
use super::{lpf, wred};
use crate::model::values::FilterConfig;

/// The kind of an array's cells, with the results of those that drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    Lpf,
    Wred { drop: u8, no_drop: u8 },
}

impl FilterKind {
    /// The name of its primitive.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lpf => "lpf",
            Self::Wred { .. } => "wred",
        }
    }
}

/// The way from a value to a result.
#[derive(Debug, Clone, Copy)]
enum Output {
    ScaledDown(u32),
    Drops(wred::Curve),
}

/// A setting of a filter, worked out once for many cells.
#[derive(Debug, Clone, Copy)]
pub struct FilterSetting {
    config: Option<FilterConfig>,
    constants: Constants,
    output: Output,
}

impl FilterSetting {
    /// `None` is the state of cells that nobody has set: a time constant of one cycle, without drops.
    pub fn new(kind: FilterKind, config: Option<FilterConfig>) -> Result<Self, String> {
        let (constants, output) = match (kind, &config) {
            (FilterKind::Lpf, None) => (Constants::default(), Output::ScaledDown(0)),
            (FilterKind::Wred { .. }, None) => {
                (Constants::default(), Output::Drops(wred::Curve::NEVER))
            }
            (FilterKind::Lpf, Some(FilterConfig::Lpf(config))) => {
                let (constants, scale_down) = lpf::settings(config)?;
                (constants, Output::ScaledDown(scale_down))
            }
            (FilterKind::Wred { .. }, Some(FilterConfig::Wred(config))) => (
                wred::constants(config)?,
                Output::Drops(wred::Curve::new(config)?),
            ),
            (FilterKind::Lpf, Some(FilterConfig::Wred(_))) => {
                return Err("it is an Lpf, and the settings are a Wred's".to_owned())
            }
            (FilterKind::Wred { .. }, Some(FilterConfig::Lpf(_))) => {
                return Err("it is a Wred, and the settings are an Lpf's".to_owned())
            }
        };
        Ok(Self {
            config,
            constants,
            output,
        })
    }
}

/// One filter.
#[derive(Debug, Clone, Copy)]
pub struct FilterCell {
    filter: Filter,
    output: Output,
    config: Option<FilterConfig>,
}

impl FilterCell {
    /// A filter set at a time; its average begins anew.
    pub fn new(setting: FilterSetting, now_ns: u64) -> Self {
        Self {
            filter: Filter::new(setting.constants, cycles(now_ns)),
            output: setting.output,
            config: setting.config,
        }
    }

    /// As the control plane set it.
    pub fn config(&self) -> Option<FilterConfig> {
        self.config
    }

    /// The average, not scaled down.
    pub fn value(&self) -> u32 {
        self.filter.value()
    }
}

#[derive(Debug, Clone)]
pub struct FilterArray {
    pub kind: FilterKind,
    pub cells: Vec<FilterCell>,
}

impl FilterArray {
    pub fn new(size: usize, kind: FilterKind) -> Self {
        let unset = FilterSetting::new(kind, None).expect("a filter may be left as it is");
        Self {
            kind,
            cells: vec![FilterCell::new(unset, 0); size],
        }
    }

    /// Lets a cell begin anew, without settings.
    pub fn reset(&mut self, index: usize, now_ns: u64) {
        let unset = FilterSetting::new(self.kind, None).expect("a filter may be left as it is");
        if let Some(cell) = self.cells.get_mut(index) {
            *cell = FilterCell::new(unset, now_ns);
        }
    }

    /// Takes in a sample; gives the result, `None` where there is no such cell.
    pub fn execute(
        &mut self,
        index: u64,
        now_ns: u64,
        sample: u32,
        random: &mut Random,
    ) -> Option<u32> {
        let cell = self.cells.get_mut(usize::try_from(index).ok()?)?;
        let average = cell.filter.run(cycles(now_ns), sample);
        Some(match (cell.output, self.kind) {
            (Output::ScaledDown(bits), _) => cell.filter.value() >> bits,
            (Output::Drops(curve), FilterKind::Wred { drop, no_drop }) => {
                u32::from(match curve.drops(average, random.next()) {
                    true => drop,
                    false => no_drop,
                })
            }
            (Output::Drops(_), FilterKind::Lpf) => unreachable!("settings are of the array's kind"),
        })
    }
}
