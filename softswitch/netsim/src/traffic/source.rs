// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A source as a scenario describes it, and the program made from it.

use serde::{Deserialize, Serialize};

use super::app::App;
use super::check::{Check, Names, SourceError};
use super::{Cbr, Files, Ftp, OnOff, Voip, Web};

/// One entry of a scenario's `sources`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SourceConfig {
    Ftp(Ftp),
    Files(Files),
    Web(Web),
    Cbr(Cbr),
    OnOff(OnOff),
    Voip(Voip),
}

impl SourceConfig {
    pub fn name(&self) -> &str {
        match self {
            Self::Ftp(config) => &config.name,
            Self::Files(config) => &config.name,
            Self::Web(config) => &config.name,
            Self::Cbr(config) => &config.name,
            Self::OnOff(config) => &config.name,
            Self::Voip(config) => &config.name,
        }
    }

    /// Sources of one group are summed up together.
    pub fn group(&self) -> Option<&str> {
        match self {
            Self::Ftp(config) => config.group.as_deref(),
            Self::Files(config) => config.group.as_deref(),
            Self::Web(config) => config.group.as_deref(),
            Self::Cbr(config) => config.group.as_deref(),
            Self::OnOff(config) => config.group.as_deref(),
            Self::Voip(config) => config.group.as_deref(),
        }
    }

    /// When the program is started.
    pub fn start_s(&self) -> f64 {
        match self {
            Self::Ftp(config) => config.start_s,
            Self::Files(config) => config.start_s,
            Self::Web(config) => config.start_s,
            Self::Cbr(config) => config.start_s,
            Self::OnOff(config) => config.start_s,
            Self::Voip(config) => config.start_s,
        }
    }

    /// The program, after every value was checked.
    pub fn build(&self, names: &dyn Names) -> Result<Box<dyn App>, SourceError> {
        let check = Check {
            source: self.name(),
            names,
        };
        check.not_negative("start_s", self.start_s())?;
        match self {
            Self::Ftp(config) => config.build(&check),
            Self::Files(config) => config.build(&check),
            Self::Web(config) => config.build(&check),
            Self::Cbr(config) => config.build(&check),
            Self::OnOff(config) => config.build(&check),
            Self::Voip(config) => config.build(&check),
        }
    }
}
